/** From a bookmark to the article a pipeline works on. */

import type { Article, SourceRef } from '../../runner/items.js';
import { escapeHtml } from '../feeds/html.js';
import type { Bookmark } from './types.js';

/** The day of bookmarking stands in for the date of publication until the page gives one. */
export function articleOf(bookmark: Bookmark, source: SourceRef, tags: readonly string[], seenAt: string): Article {
  const { url, title, folders, added, description } = bookmark;
  return {
    source,
    url,
    title: title === '' ? url : title,
    published: added ?? seenAt,
    publishedInferred: true,
    tags: [...new Set([...bookmark.tags, ...folders, ...tags])],
    ...(description === undefined ? {} : { summary: escapeHtml(description) }),
  };
}
