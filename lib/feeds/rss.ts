/** RSS 0.9x, 1.0 (RDF), 2.0 and Channel Definition Format, with the modules feeds really use: content, dc, media, itunes, atom. */
import { isoDateOf } from '../dates.js';
import { atomLink, atomPerson } from './atom.js';
import { child, children, distinct, firstHtml, firstText, firstTitle, htmlOf, isElement, textOf } from './elements.js';
import { htmlToText, sanitizeHtml } from './html.js';
import type { Enclosure, FeedItem } from './types.js';
import { isWebUrl, resolveUrl } from './urls.js';
import type { XmlElement } from './xml.js';

/** What a vocabulary gives before the reader adds encoding and repairs. */
export interface MappedFeed {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly format: string;
  readonly language?: string | undefined;
  readonly items: readonly FeedItem[];
  /** How many items there were; more than `items` when the feed is longer than any reader can want. */
  readonly total: number;
}

/** The longest real feeds, podcast archives, have some 3,000 items; each costs 0.3 ms. */
export const MAX_ITEMS = 5000;

/** Maps `<rss>`, `<rdf:RDF>` or a bare `<channel>`. */
export function mapRss(root: XmlElement, now: number): MappedFeed {
  const channel = root.name === 'channel' ? root : (child(root, 'channel') ?? root);
  // RDF keeps items beside the channel, RSS inside; damaged feeds in either place.
  const elements = [...new Set([...children(channel, 'item'), ...children(root, 'item')])].filter(holdsAnything);
  const language = firstText(channel, 'language', 'dc:language') ?? channel.language ?? root.language;
  const url = linkOf(channel) ?? (channel.attributes.href && resolveUrl(channel.attributes.href, channel.base));
  const base = isWebUrl(url) ? url : undefined;
  return {
    title: firstTitle(channel, 'title', 'dc:title', 'itunes:title', 'media:title', 'atom:title'),
    url,
    format: formatOf(root, channel),
    language,
    total: elements.length,
    items: elements.slice(0, MAX_ITEMS).map((element) => {
      const itemOf = isCdfItem(element) ? cdfItem : rssItem;
      return itemOf(withBase(element, base), { now, language: element.language ?? language });
    }),
  };
}

interface ItemContext {
  readonly now: number;
  readonly language: string | undefined;
}

function holdsAnything(item: XmlElement): boolean {
  return item.children.some(isElement) || Object.keys(item.attributes).length > 0;
}

/** CDF keeps in attributes what RSS keeps in elements. */
function isCdfItem(item: XmlElement): boolean {
  return (item.attributes.href ?? item.attributes.lastmod) !== undefined && child(item, 'link') === undefined;
}

function formatOf(root: XmlElement, channel: XmlElement): string {
  if (root.name === 'rss') return `rss ${root.attributes.version ?? '2.0'}`.trim();
  if (root.name === 'rdf:rdf' || root.name === 'rdf') {
    const netscape = Object.values(root.attributes).some((value) =>
      /my\.netscape\.com\/rdf\/simple\/0\.9/i.test(value),
    );
    return netscape ? 'rdf 0.9' : 'rdf 1.0';
  }
  return root === channel && children(channel, 'item').some(isCdfItem) ? 'cdf' : 'rss';
}

/** A tree read without a document URL still has the channel's link to hang relative links on. */
function withBase(element: XmlElement, base: string | undefined): XmlElement {
  if (base === undefined || element.base !== undefined) return element;
  return {
    ...element,
    base,
    children: element.children.map((node) => (isElement(node) ? withBase(node, base) : node)),
  };
}

/** The last link that holds anything, as feedparser and gofeed read repeated links; else an atom:link. */
function linkOf(element: XmlElement): string | undefined {
  for (const link of children(element, 'link').reverse()) {
    const value = textOf(link) ?? link.attributes.href ?? link.attributes['rdf:resource'];
    if (value !== undefined && value.trim() !== '') return resolveUrl(value, link.base);
  }
  return atomLink(element, 'alternate');
}

function rssItem(item: XmlElement, { now, language }: ItemContext): FeedItem {
  const guid = child(item, 'guid');
  const id = textOf(guid) ?? firstText(item, 'atom:id', 'dc:identifier') ?? item.attributes['rdf:about'];
  const published = firstDate(
    item,
    ['pubdate', 'dc:date', 'dcterms:issued', 'dcterms:created', 'dc:created', 'atom:published', 'date', 'published'],
    now,
    language,
  );
  const updated = firstDate(item, ['atom:updated', 'dcterms:modified', 'lastbuilddate', 'updated'], now, language);
  const media = mediaGroups(item);
  const content = firstHtml(
    item,
    'content:encoded',
    'encoded',
    'atom:content',
    'xhtml:body',
    'body',
    'fullitem',
    'content',
  );
  const summary =
    firstHtml(item, 'description', 'atom:summary', 'dc:description', 'dcterms:abstract', 'summary') ??
    firstHtml(item, 'itunes:summary', 'itunes:subtitle') ??
    media.description;
  const enclosures = [...children(item, 'enclosure').map(enclosureOf), ...media.enclosures, ...atomEnclosures(item)];
  return compact({
    id,
    url: itemLink(item, guid) ?? enclosures.find((one) => one !== undefined)?.url,
    title: firstTitle(item, 'title', 'dc:title', 'atom:title', 'itunes:title') ?? media.title,
    published: published ?? updated,
    updated,
    author: authorOf(item),
    summary,
    content,
    tags: tagsOf(item),
    language: firstText(item, 'dc:language', 'language') ?? item.language,
    enclosures: enclosures.filter((one) => one !== undefined),
  });
}

function cdfItem(item: XmlElement, { now, language }: ItemContext): FeedItem {
  const href = item.attributes.href ?? child(item, 'a')?.attributes.href;
  const date = isoDateOf(item.attributes.lastmod, now, { language });
  return compact({
    url: href === undefined ? undefined : resolveUrl(href, item.base),
    title: firstTitle(item, 'title', 'a'),
    published: date,
    updated: date,
    summary: firstHtml(item, 'abstract', 'description'),
    tags: [],
    language,
    enclosures: [],
  });
}

/** `link`, then FeedBurner's original, then a guid that is a permalink. */
function itemLink(item: XmlElement, guid: XmlElement | undefined): string | undefined {
  const original = firstText(item, 'feedburner:origlink');
  if (isWebUrl(original)) return original;
  const link = linkOf(item);
  if (link !== undefined) return link;
  const text = textOf(guid);
  const permalink = guid?.attributes.ispermalink?.toLowerCase() !== 'false';
  if (text !== undefined && permalink && isWebUrl(text)) return text;
  const about = item.attributes['rdf:about'];
  return isWebUrl(about) ? about : undefined;
}

export function firstDate(
  element: XmlElement,
  names: readonly string[],
  now: number,
  language: string | undefined,
): string | undefined {
  for (const one of children(element, ...names)) {
    const date = isoDateOf(textOf(one), now, { language });
    if (date !== undefined) return date;
  }
  return undefined;
}

function authorOf(item: XmlElement): string | undefined {
  const atom = child(item, 'atom:author');
  const named = atom && atomPerson(atom);
  if (named !== undefined) return named;
  const names = children(item, 'author', 'dc:creator', 'dc:author', 'itunes:author', 'managingeditor', 'media:credit')
    .map((one) => firstText(one, 'name') ?? textOf(one))
    .filter((name) => name !== undefined);
  const first = names[0];
  return first === undefined ? undefined : personName(htmlToText(first));
}

/** `jane@example.org (Jane Roe)` and `Jane Roe <jane@example.org>` are Jane Roe. */
export function personName(text: string): string {
  const bracketed =
    /^[^\s()@]+@[^\s()]+\s*\(([^()]+)\)$/.exec(text)?.[1] ?? /^(.+?)\s*[<(][^\s<>()]+@[^\s<>()]+[>)]$/.exec(text)?.[1];
  return (bracketed ?? text).trim();
}

function tagsOf(item: XmlElement): string[] {
  return distinct(
    [
      ...children(item, 'category', 'dc:subject', 'media:category').map((one) => one.attributes.term ?? textOf(one)),
      ...children(item, 'itunes:category').map((one) => one.attributes.text),
      ...children(item, 'itunes:keywords', 'media:keywords').flatMap((one) => (textOf(one) ?? '').split(',')),
    ].map((tag) => tag && htmlToText(tag)),
  );
}

function enclosureOf(element: XmlElement): Enclosure | undefined {
  const url = element.attributes.url ?? element.attributes.href;
  if (url === undefined || url.trim() === '') return undefined;
  const { type } = element.attributes;
  const length = Number(element.attributes.length ?? element.attributes.filesize);
  return {
    url: resolveUrl(url, element.base),
    ...(type === undefined ? {} : { type }),
    ...(Number.isSafeInteger(length) && length > 0 ? { length } : {}),
  };
}

function atomEnclosures(item: XmlElement): (Enclosure | undefined)[] {
  return children(item, 'atom:link')
    .filter((link) => link.attributes.rel === 'enclosure')
    .map(enclosureOf);
}

/** Media RSS puts the same things directly into the item, into a group, or into the content element. */
export function mediaGroups(item: XmlElement): {
  readonly enclosures: readonly (Enclosure | undefined)[];
  readonly title: string | undefined;
  readonly description: string | undefined;
} {
  const groups = [item, ...children(item, 'media:group')];
  const contents = groups.flatMap((group) => children(group, 'media:content'));
  const holders = [...groups, ...contents];
  const described = holders.map((one) => child(one, 'media:description')).find((one) => one !== undefined);
  return {
    enclosures: contents.map(enclosureOf),
    title: holders.map((one) => firstTitle(one, 'media:title')).find((title) => title !== undefined),
    description:
      described?.attributes.type === 'plain'
        ? sanitizeHtml(textOf(described) ?? '', undefined) || undefined
        : htmlOf(described),
  };
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Leaves out what is undefined, so that JSON and object equality see only what the feed said. */
export function compact(
  item: Loose<FeedItem> & { tags: readonly string[]; enclosures: readonly Enclosure[] },
): FeedItem {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as unknown as FeedItem;
}
