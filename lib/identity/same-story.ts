/** When two items of different sources are one story: nearly the same text, or the same telling title at the same time. */
import { createHash } from 'node:crypto';
import type { Article } from '../../runner/items.js';
import { bandsOf, SAME_STORY, shinglesOf, similarity } from './near.js';

/** A title this long is hardly used twice by chance within the window. */
const MIN_TITLE_WORDS = 4;
const MIN_TITLE_LENGTH = 24;
const TITLE_WINDOW_MS = 3 * 86_400_000;

export type Means = 'title' | 'text';

/** Keys under which a story can be found again; each only names a candidate that `sameStory` must confirm. */
export function storyKeys(article: Article, by: readonly string[]): string[] {
  const title = by.includes('title') ? titleKey(article.title) : undefined;
  return [
    ...(title === undefined ? [] : [title]),
    ...(by.includes('text') ? bandsOf(shinglesOf(textOf(article))) : []),
  ];
}

/** How two articles are the same story, or undefined. Items of one source never are: it gave them ids of their own. */
export function sameStory(a: Article, b: Article): Means | undefined {
  if (a.source.name === b.source.name) return undefined;
  // "Release 1.2" and "Release 1.3", two CVEs of one template: nearly the same text, another thing.
  if (numbersOf(a.title) !== numbersOf(b.title)) return undefined;
  const title = titleKey(a.title);
  if (title !== undefined && title === titleKey(b.title) && near(a.published, b.published)) return 'title';
  return similarity(shinglesOf(textOf(a)), shinglesOf(textOf(b))) >= SAME_STORY ? 'text' : undefined;
}

function titleKey(title: string): string | undefined {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const folded = words.join(' ');
  if (words.length < MIN_TITLE_WORDS || folded.length < MIN_TITLE_LENGTH) return undefined;
  return `title:${createHash('sha256').update(folded).digest('hex').slice(0, 32)}`;
}

function numbersOf(title: string): string {
  return (title.match(/\d+/g) ?? []).sort().join(' ');
}

function near(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return Math.abs(Date.parse(a) - Date.parse(b)) <= TITLE_WINDOW_MS;
}

/** What the source itself sent: comparable between items that were fetched and items that were not. */
function textOf(article: Article): string {
  return article.html ?? article.summary ?? '';
}
