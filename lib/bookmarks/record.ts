/** From a record's raw fields to a bookmark, the same for every format. */
import { isoDateOf } from '../dates.js';
import { foldSpace } from '../feeds/html.js';
import type { Collected } from './types.js';

export interface RawRecord {
  readonly url: string | undefined;
  readonly title?: string | undefined;
  readonly folders?: readonly string[];
  readonly tags?: readonly string[];
  readonly added?: string | number | undefined;
  readonly description?: string | undefined;
}

/** Names browsers give to their own folders, in the languages their exports are seen in. */
const ROOTS =
  /^(?:bookmarks?(?: bar| menu| toolbar)?|personal toolbar(?: folder)?|other bookmarks|mobile bookmarks|favou?rites(?: bar)?|unlabeled|unsorted bookmarks|toolbar|lesezeichen(?:leiste|-symbolleiste|-menü)?|weitere lesezeichen|favoris|signets|menu signets|barre (?:de favoris|personnelle)|autres favoris|marcadores|barra de (?:marcadores|favoritos)|otros (?:marcadores|favoritos)|zakładki|pasek zakładek|inne zakładki)$/i;

/** Adds the record, or a line that says why not. */
export function collect(
  into: Collected,
  { url, title, folders, tags, added, description }: RawRecord,
  now: number,
): void {
  const address = url?.trim() ?? '';
  const name = foldSpace(title ?? '');
  if (!/^https?:\/\/[^\s/?#]/i.test(address) || !URL.canParse(address)) {
    into.problems.push(`"${short(name || address || '(no title)')}": ${describe(address)}`);
    return;
  }
  const at = added === undefined ? undefined : addedDate(added, now);
  const about = foldSpace(description ?? '');
  into.bookmarks.push({
    url: address,
    title: name,
    folders: (folders ?? []).map(foldSpace).filter((folder) => folder !== '' && !ROOTS.test(folder)),
    tags: [...new Set((tags ?? []).map(foldSpace).filter((tag) => tag !== ''))],
    ...(at === undefined ? {} : { added: at }),
    ...(about === '' ? {} : { description: about }),
  });
}

/** `a, b c` -> [a, b c]; without a comma spaces separate. */
export function splitTags(text: string | undefined): string[] {
  if (text === undefined) return [];
  return (text.includes(',') ? text.split(',') : text.split(/[\s|;]+/)).map((tag) => tag.trim()).filter(Boolean);
}

/**
 * When a bookmark was made: seconds, milliseconds or microseconds since 1970 (Google), or any date in words. The size of
 * the number tells the unit: all are dates between 1973 and 5138.
 */
export function addedDate(value: string | number, now: number): string | undefined {
  const text = String(value).trim();
  if (!/^\d+$/.test(text)) return isoDateOf(text.replace(/^(\d{1,2})\/(\w{3})\/(\d{4}):/, '$1 $2 $3 '), now);
  const number = Number(text);
  const ms = number < 1e11 ? number * 1000 : number < 1e14 ? number : number / 1000;
  return ms <= 0 || ms > now + 86_400_000 ? undefined : new Date(ms).toISOString();
}

function describe(address: string): string {
  if (address === '') return 'it has no address';
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(address)?.[1];
  return scheme === undefined ? `${short(address)} is no web address` : `${scheme}: addresses are not fetched`;
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
