/** Subscription lists as every feed reader writes them, read leniently and written strictly. */
import { decodeBytes } from './bytes.js';
import { children, isElement } from './elements.js';
import { escapeHtml, foldSpace } from './html.js';
import { isWebUrl } from './urls.js';
import { parseXml, type XmlElement } from './xml.js';

/** One subscription. */
export interface OpmlFeed {
  readonly name: string;
  readonly url: string;
  /** Folder path, `a/b`; absent at the root. */
  readonly category?: string;
  /** The site's address. */
  readonly site?: string;
}

export interface Opml {
  readonly feeds: readonly OpmlFeed[];
  /** Records that could not be used, one line each. */
  readonly problems: readonly string[];
  /** True when the bytes hold no outline at all. */
  readonly empty: boolean;
}

/**
 * Reads a subscription list. A feed listed several times (at the root and in a category) is one feed; the place with a
 * category wins. A record without a usable address is reported, the rest is taken.
 */
export function readOpml(bytes: Uint8Array): Opml {
  const { roots } = parseXml(decodeBytes(bytes).text);
  const feeds = new Map<string, OpmlFeed>();
  const problems: string[] = [];
  let outlines = 0;

  const visit = (outline: XmlElement, path: readonly string[]) => {
    outlines++;
    const { xmlurl, htmlurl, text, title, category, url, type } = outline.attributes;
    const name = foldSpace(title || text || '');
    const address = (xmlurl ?? (/^(rss|atom|feed)$/i.test(type ?? '') ? url : undefined))?.trim();
    const nested = children(outline, 'outline');
    if (address !== undefined && address !== '') {
      const web = address.replace(/^feed:(\/\/)?(?=https?:)/i, '').replace(/^feed:/i, 'http:');
      if (!isWebUrl(web)) problems.push(`"${name || address}": ${address} is no http(s) address`);
      else
        add({
          name: name || new URL(web).hostname,
          url: web,
          place: path.join('/') || firstCategory(category),
          site: htmlurl,
        });
    } else if (nested.length === 0) problems.push(`"${name || '(no name)'}" names no feed`);
    // A folder's name becomes part of the path; a slash in it would make two folders of one.
    const deeper = address ? path : [...path, name.replaceAll('/', '-') || 'Unnamed'];
    for (const child of nested) visit(child, deeper);
  };
  const add = ({
    name,
    url,
    place,
    site,
  }: {
    name: string;
    url: string;
    place: string | undefined;
    site: string | undefined;
  }) => {
    const known = feeds.get(url);
    if (known?.category !== undefined || (known && place === undefined)) return;
    feeds.set(url, {
      name,
      url,
      ...(place === undefined ? {} : { category: place }),
      ...(site === undefined || site.trim() === '' ? {} : { site: site.trim() }),
    });
  };
  for (const outline of topOutlines(roots)) visit(outline, []);
  return { feeds: [...feeds.values()], problems, empty: outlines === 0 };
}

/** Outlines under `body`, or wherever the list begins when its frame is broken. */
function topOutlines(elements: readonly XmlElement[]): XmlElement[] {
  return elements.flatMap((element) =>
    element.name === 'outline' ? [element] : topOutlines(element.children.filter(isElement)),
  );
}

/** OPML 2.0 also allows `category="/Tech/Web,/Daily"`. */
function firstCategory(category: string | undefined): string | undefined {
  return (
    category
      ?.split(',')[0]
      ?.trim()
      .replace(/^\/+|\/+$/g, '') || undefined
  );
}

interface Folder {
  readonly feeds: OpmlFeed[];
  readonly folders: Map<string, Folder>;
}

/** OPML 2.0 with a folder for each category path; the same list gives the same bytes. */
export function writeOpml(title: string, feeds: readonly OpmlFeed[]): string {
  const root: Folder = { feeds: [], folders: new Map() };
  for (const feed of feeds) {
    let folder = root;
    for (const part of feed.category?.split('/').filter((one) => one !== '') ?? []) {
      const next = folder.folders.get(part) ?? { feeds: [], folders: new Map() };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.feeds.push(feed);
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<opml version="2.0">',
    `  <head><title>${escapeHtml(title)}</title></head>`,
    '  <body>',
    ...folderLines(root, '    '),
    '  </body>',
    '</opml>',
    '',
  ].join('\n');
}

function folderLines(folder: Folder, indent: string): string[] {
  return [
    ...folder.feeds.map(({ name, url, site }) => {
      const html = site === undefined ? '' : ` htmlUrl="${attribute(site)}"`;
      return `${indent}<outline type="rss" text="${attribute(name)}" title="${attribute(name)}" xmlUrl="${attribute(url)}"${html}/>`;
    }),
    ...[...folder.folders].flatMap(([name, inner]) => [
      `${indent}<outline text="${attribute(name)}" title="${attribute(name)}">`,
      ...folderLines(inner, `${indent}  `),
      `${indent}</outline>`,
    ]),
  ];
}

function attribute(text: string): string {
  return escapeHtml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
}
