/** The text of a note that can only point to something: a PDF, a picture, a recording. */
import type { Article, FetchedPage } from '../../runner/items.js';

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/pdf$/, 'PDF document'],
  [/^image\//, 'Image'],
  [/^audio\//, 'Audio recording'],
  [/^video\//, 'Video'],
  [/epub/, 'Book (EPUB)'],
  [/zip|tar|gzip|compressed/, 'Archive'],
];

/** What the source said about it, then what it is and where. */
export function linkText({ title }: Article, { url, type }: FetchedPage, own: string): string {
  const name = NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? 'File';
  const label = title.replace(/[[\]]/g, ' ').trim() || url;
  return `${own === '' ? '' : `${own}\n\n`}${name} (${type}): [${label}](<${url}>)`;
}
