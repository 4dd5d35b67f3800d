/** A note somebody clipped into the inbox, as an article: its own frontmatter says what it is. */
import type { Article, SourceRef } from '../../runner/items.js';
import { isoDateOf } from '../dates.js';
import { readFrontmatter } from '../vault/frontmatter.js';

/** Keys under which clippers keep the address of the page. */
const ADDRESS = ['source', 'url', 'link', 'source_url'];

/** Undefined for a note that is no clipping (no web address), or that was scored before. */
export function clippingArticle(path: string, text: string, source: SourceRef, now: number): Article | undefined {
  const { data, span, problem } = readFrontmatter(text);
  if (problem || data['score'] !== undefined) return undefined;
  const url = ADDRESS.map((key) => textOf(data[key])).find((value) => /^https?:\/\/\S+$/.test(value));
  if (url === undefined) return undefined;
  const author = textOf(data['author']).replace(/^\[\[|\]\]$/g, '');
  const published = isoDateOf(textOf(data['published']), now);
  const added = isoDateOf(textOf(data['created']), now) ?? new Date(now).toISOString();
  const title = textOf(data['title']) || path.replace(/^.*\//, '').replace(/\.[^.]+$/, '');
  return {
    source,
    notePath: path,
    url,
    title,
    markdown: text.slice(span?.end ?? 0).trim(),
    published: published ?? added,
    ...(published === undefined ? { publishedInferred: true } : {}),
    ...(author === '' ? {} : { author }),
    ...(textOf(data['description']) === '' ? {} : { summary: textOf(data['description']) }),
    tags: listOf(data['tags']),
  };
}

/** A scalar, or the first entry of a list. */
function textOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (first instanceof Date) return first.toISOString();
  return typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
}

function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'string');
  return typeof value === 'string' ? value.split(/[,\s]+/).filter(Boolean) : [];
}
