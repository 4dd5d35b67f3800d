/** From a feed's item to the article a pipeline works on. */
import type { Article, SourceRef } from '../../runner/items.js';
import { htmlToText } from './html.js';
import type { FeedItem } from './types.js';

/** Characters of text that stand in for a missing title. */
const TITLE_LENGTH = 80;

export interface ArticleContext {
  readonly source: SourceRef;
  /** Tags of the source, added to the item's own. */
  readonly tags: readonly string[];
  readonly language?: string | undefined;
  /** ISO 8601 UTC: time of first sight, for items without a believable date. */
  readonly seenAt: string;
}

/** An item always becomes an article: what it lacks is inferred and marked as such. */
export function articleFrom(item: FeedItem, context: ArticleContext): Article {
  const language = item.language ?? context.language;
  return {
    source: context.source,
    ...(item.id === undefined ? {} : { guid: item.id }),
    ...(item.url === undefined ? {} : { url: item.url }),
    title: item.title ?? titleFromText(item),
    ...(item.author === undefined ? {} : { author: item.author }),
    published: item.published ?? context.seenAt,
    ...(item.published === undefined ? { publishedInferred: true } : {}),
    ...(item.updated === undefined ? {} : { updated: item.updated }),
    ...(language === undefined ? {} : { language }),
    tags: [...new Set([...item.tags, ...context.tags])],
    ...(item.summary === undefined ? {} : { summary: item.summary }),
    ...(item.content === undefined ? {} : { html: item.content }),
  };
}

/** The first words of the text, cut at a word; else the address; else what it is. */
function titleFromText(item: FeedItem): string {
  const text = htmlToText(item.summary ?? item.content ?? '');
  if (text === '') return item.url ?? item.enclosures[0]?.url ?? item.id ?? 'Untitled item';
  const letters = Array.from(text);
  if (letters.length <= TITLE_LENGTH) return text;
  const cut = letters.slice(0, TITLE_LENGTH).join('');
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), TITLE_LENGTH / 2)).trimEnd()}…`;
}
