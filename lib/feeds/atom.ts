/** Atom 1.0 and 0.3, whatever namespace the feed claims. */
import { children, distinct, isElement, markupOf, rawText, textOf } from './elements.js';
import { escapeHtml, foldSpace, htmlToText, sanitizeHtml } from './html.js';
import { compact, firstDate, MAX_ITEMS, type MappedFeed, mediaGroups, personName } from './rss.js';
import type { Enclosure, FeedItem } from './types.js';
import { isWebUrl, resolveUrl } from './urls.js';
import type { XmlElement } from './xml.js';

/** Atom elements are looked up with and without their namespace: some feeds forget to declare it. */
function all(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return names.flatMap((name) => children(element, `atom:${name}`, name));
}

function one(element: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  return all(element, ...names)[0];
}

/** Maps `<feed>`, or an `<entry>` standing alone. */
export function mapAtom(root: XmlElement, now: number): MappedFeed {
  const single = root.name.endsWith('entry');
  const url = single ? undefined : atomLink(root, 'alternate');
  const fallbackBase = [url, atomLink(root, 'self')].find(isWebUrl);
  const context = { now, feed: root, base: root.base ?? fallbackBase };
  const entries = single ? [root] : all(root, 'entry');
  const old =
    root.attributes.version?.startsWith('0.') ||
    Object.values(root.attributes).some((uri) => /purl\.org\/atom\/ns/i.test(uri));
  return {
    title: constructText(one(root, 'title') ?? children(root, 'dc:title')[0]),
    url,
    format: old ? 'atom 0.3' : 'atom 1.0',
    language: root.language ?? textOf(children(root, 'dc:language')[0]),
    total: entries.length,
    items: entries.slice(0, MAX_ITEMS).map((entry) => atomEntry(entry, context)),
  };
}

interface EntryContext {
  readonly now: number;
  readonly feed: XmlElement;
  /** For entries that have no base of their own. */
  readonly base: string | undefined;
}

function atomEntry(entry: XmlElement, { now, feed, base }: EntryContext): FeedItem {
  const { language } = entry;
  const id = identifier(one(entry, 'id') ?? children(entry, 'dc:identifier', 'guid')[0]);
  const dated = (...names: string[]) =>
    firstDate(
      entry,
      names.flatMap((name) => (name.includes(':') ? [name] : [`atom:${name}`, name])),
      now,
      language,
    );
  const updated = dated('updated', 'modified', 'dcterms:modified');
  const published = dated('published', 'issued', 'created', 'dcterms:issued', 'dcterms:created', 'dc:date', 'pubdate');
  const media = mediaGroups(entry);
  const links = all(entry, 'link');
  const enclosures = links.filter((link) => link.attributes.rel === 'enclosure').map(linkedFile);
  const content = one(entry, 'content');
  const url = atomLink(entry, 'alternate', base) ?? firstWebUrl(content?.attributes.src, id, textOf(links[0]));
  const source = one(entry, 'source');
  const author = [entry, source, feed]
    .filter((holder) => holder !== undefined)
    .flatMap((holder) => [...all(holder, 'author'), ...children(holder, 'dc:creator', 'dc:author', 'itunes:author')])
    .map(atomPerson)
    .find((name) => name !== undefined);
  return compact({
    id,
    url,
    title: constructText(one(entry, 'title') ?? children(entry, 'dc:title')[0]) ?? media.title,
    published: published ?? updated,
    updated,
    author,
    summary:
      constructHtml(one(entry, 'summary') ?? children(entry, 'dc:description', 'description')[0], base) ??
      media.description,
    content: constructHtml(content ?? children(entry, 'content:encoded')[0], base),
    tags: distinct([
      ...all(entry, 'category').map((tag) => tag.attributes.label ?? tag.attributes.term ?? textOf(tag)),
      ...children(entry, 'dc:subject').map(textOf),
    ]),
    language: content?.language ?? language,
    enclosures: [...enclosures, ...media.enclosures].filter((file) => file !== undefined),
  });
}

/** An id is compared, not followed; only a base the document itself declares makes a relative one absolute. */
function identifier(element: XmlElement | undefined): string | undefined {
  const id = textOf(element);
  return id !== undefined && element?.baseDeclared ? resolveUrl(id, element.base) : id;
}

function firstWebUrl(...values: readonly (string | undefined)[]): string | undefined {
  return values.find(isWebUrl);
}

/**
 * The best link of a relation: pages before other representations, the first before the next. Also reads `atom:link`
 * inside RSS, where a bare `link` is something else.
 */
export function atomLink(element: XmlElement, relation: string, fallbackBase?: string): string | undefined {
  const links = children(element, 'atom:link', 'link').filter((link) => {
    const rel = (link.attributes.rel ?? 'alternate').trim().toLowerCase();
    return link.attributes.href !== undefined && (rel === relation || rel.endsWith(`relation/${relation}`));
  });
  const page = links.find((link) => /html|^$/.test(link.attributes.type ?? '')) ?? links[0];
  const href = page?.attributes.href?.trim();
  return href ? resolveUrl(href, page?.base ?? fallbackBase) : undefined;
}

/** A person construct's name, else its address. */
export function atomPerson(person: XmlElement): string | undefined {
  const named = textOf(one(person, 'name')) ?? textOf(one(person, 'email'));
  if (named !== undefined) return personName(foldSpace(named));
  const bare = person.children.some(isElement) ? undefined : textOf(person);
  return bare === undefined ? undefined : personName(htmlToText(bare));
}

function linkedFile(link: XmlElement): Enclosure | undefined {
  const { href, type } = link.attributes;
  if (!href) return undefined;
  const length = Number(link.attributes.length);
  return {
    url: resolveUrl(href, link.base),
    ...(type === undefined ? {} : { type }),
    ...(Number.isSafeInteger(length) && length > 0 ? { length } : {}),
  };
}

type Reading = 'text' | 'html';

/** What a text construct holds and how it is meant, after Atom 1.0's `type` and Atom 0.3's `mode`. */
function construct(element: XmlElement): { value: string; as: Reading } {
  const type = (element.attributes.type ?? '').trim().toLowerCase();
  const mode = element.attributes.mode?.toLowerCase();
  const html = /html/.test(type) || /\+xml$|\/xml$/.test(type);
  if (mode === 'base64' || isBase64Type(type)) {
    const value = decodeBase64(rawText(element));
    if (value !== undefined) return { value, as: 'html' };
  }
  if (element.children.some(isElement)) return { value: markupOf(element), as: 'html' };
  const value = rawText(element);
  // Atom 0.3 says nothing of escaped text without a type; people meant HTML.
  return { value, as: html || mode === 'escaped' ? 'html' : 'text' };
}

function isBase64Type(type: string): boolean {
  return type.includes('/') && !/^text\/|[+/]xml$|html/.test(type);
}

/** Text behind base64, or undefined when the value was not that: many types are plain inventions. */
function decodeBase64(encoded: string): string | undefined {
  const compactText = encoded.replace(/\s+/g, '');
  if (!/^[a-z\d+/]+={0,2}$/i.test(compactText)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(compactText, 'base64'));
  } catch {
    return undefined;
  }
}

function constructText(element: XmlElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const { value, as } = construct(element);
  return (as === 'html' ? htmlToText(value) : foldSpace(value)) || undefined;
}

function constructHtml(element: XmlElement | undefined, base: string | undefined): string | undefined {
  if (element === undefined) return undefined;
  const { value, as } = construct(element);
  const html = as === 'html' ? sanitizeHtml(value, element.base ?? base) : escapeHtml(value).trim();
  return html || undefined;
}
