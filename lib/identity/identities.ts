/**
 * What makes an item the same item tomorrow (SPEC 3). An item answers to several identities, strongest first; one known
 * identity is enough to recognise it, so a new title, address or guid alone never makes a second note.
 */
import { createHash } from 'node:crypto';
import type { Article } from '../../runner/items.js';
import { htmlToText } from '../feeds/html.js';
import { memoised } from '../memo.js';
import type { UrlCleaner } from './clean-url.js';

/** Share of a feed's items that may collide before the feed's identifiers are given up. */
export const MAX_COLLISIONS = 0.05;
/** Below this many characters two equal texts prove nothing ("Update.", "Photo of the day"). */
const MIN_TEXT = 200;

export type IdRule = 'guid' | 'guid+url' | 'url' | 'hash';

type Identified = Pick<
  Article,
  'source' | 'guid' | 'url' | 'canonicalUrl' | 'title' | 'summary' | 'html' | 'markdown' | 'unreliable'
>;

/**
 * Identities of an item, strongest first; never empty. Each is `kind:hash`, safe to log and to store.
 * @param withText whether title and text together identify an item that has a better identity too.
 */
export function identitiesOf(article: Identified, urls: Pick<UrlCleaner, 'key'>, withText = true): string[] {
  const guid = usableGuid(article.guid);
  const url = urlKeyOf(article, urls);
  const guidWorks = guid !== undefined && !article.unreliable?.includes('guid');
  const urlWorks = url !== undefined && !article.unreliable?.includes('url');
  const found: string[] = [];
  if (guidWorks) found.push(identity('guid', article.source.name, guid));
  else if (guid !== undefined && urlWorks) found.push(identity('guid+url', article.source.name, guid, url));
  if (urlWorks) found.push(identity('url', url));
  if (found.length > 0 && !withText) return found;
  const text = textOf(article);
  if (found.length === 0)
    found.push(identity('hash', article.source.name, guid ?? '', url ?? '', fold(article.title), text));
  else if (text.length >= MIN_TEXT) found.push(identity('text', fold(article.title), text));
  return found;
}

/** Hash of what a source says about an item: address, title and text, markup and white space aside. */
export function fingerprintOf(article: Identified, urls: Pick<UrlCleaner, 'key'>): string {
  return digest(urlKeyOf(article, urls) ?? '', fold(article.title), textOf(article));
}

export interface Reliability {
  /** The rule for the whole feed; never stronger than the one it had before. */
  readonly rule: IdRule;
  /** For each article, in order: identifiers it must not be known by. */
  readonly unreliable: readonly (readonly ('guid' | 'url')[])[];
}

/**
 * Looks at all items of one feed and says which identifiers tell them apart. An identifier two different items share
 * is no identifier for those two; when more than 5 % of the items share theirs, it is given up for the whole feed, and
 * stays given up (`before`), so that ids do not change back and forth.
 */
export function judgeIdentifiers(
  articles: readonly Identified[],
  urls: Pick<UrlCleaner, 'key'>,
  before: IdRule = 'guid',
): Reliability {
  const guids = articles.map((article) => usableGuid(article.guid));
  const addresses = articles.map((article) => urlKeyOf(article, urls));
  const texts = articles.map((article) => digest(fold(article.title), textOf(article)));
  const sharedGuid = shared(
    guids,
    texts.map((text, index) => `${text} ${addresses[index]}`),
  );
  const sharedUrl = shared(
    addresses,
    texts.map((text, index) => `${text} ${guids[index]}`),
  );
  const guidGone = before !== 'guid' || tooMany(sharedGuid, articles.length);
  const urlGone = before === 'hash' || tooMany(sharedUrl, articles.length);
  const unreliable = articles.map((_, index) => {
    const marks: ('guid' | 'url')[] = [];
    if (guidGone || sharedGuid[index]) marks.push('guid');
    if (urlGone || sharedUrl[index]) marks.push('url');
    return marks;
  });
  const hasGuid = guids.some((guid) => guid !== undefined);
  if (!guidGone) return { rule: 'guid', unreliable };
  if (!urlGone) return { rule: hasGuid && before !== 'url' ? 'guid+url' : 'url', unreliable };
  return { rule: 'hash', unreliable };
}

/** For each value: whether an item with other content bears it too. The same entry listed twice is no collision. */
function shared(values: readonly (string | undefined)[], prints: readonly string[]): boolean[] {
  const bearers = new Map<string, Set<string>>();
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const set = bearers.get(value) ?? new Set();
    bearers.set(value, set.add(prints[index] ?? ''));
  }
  return values.map((value) => value !== undefined && (bearers.get(value)?.size ?? 0) > 1);
}

function tooMany(shared: readonly boolean[], total: number): boolean {
  return shared.filter(Boolean).length > total * MAX_COLLISIONS;
}

/** Programs that have no id write one of these. */
const NO_GUID = /^(n\/?a|none|null|nil|undefined|unknown|empty|true|false|guid|id|tbd|[-–—_.?]+|0+)$/i;

function usableGuid(guid: string | undefined): string | undefined {
  const trimmed = guid?.trim() ?? '';
  return trimmed === '' || NO_GUID.test(trimmed) ? undefined : trimmed;
}

function urlKeyOf(article: Identified, urls: Pick<UrlCleaner, 'key'>): string | undefined {
  const url = article.canonicalUrl ?? article.url;
  return url === undefined ? undefined : urls.key(url);
}

function textOf(article: Identified): string {
  return foldedText(article.markdown ?? article.html ?? article.summary ?? '');
}

/** Text of HTML as it is compared: markup, case and white space aside. */
export const foldedText = memoised((html: string): string => fold(htmlToText(html)));

/** Composed (an accent after a plain letter too), lower case, one space where white space or invisible signs stood. */
function fold(text: string): string {
  return text
    .replace(/[\x00-\x7f]?[^\x00-\x7f]+/g, (run) => run.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^\S ][\s\p{Cf}]*| [\s\p{Cf}]+|\p{Cf}[\s\p{Cf}]*/gu, ' ')
    .trim();
}

function identity(kind: string, ...parts: readonly string[]): string {
  return `${kind}:${digest(...parts)}`;
}

/** 128 bits: enough that two items never meet by chance, short enough to store nine of them an item. */
function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
