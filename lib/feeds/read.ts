/** Reads any feed: bytes in, one shape out, or an error that says what the bytes are instead. */
import { PipelineError } from '../../runner/errors.js';
import { mapAtom } from './atom.js';
import { decodeBytes } from './bytes.js';
import { isElement } from './elements.js';
import { isJsonFeed, mapJsonFeed } from './json-feed.js';
import { type MappedFeed, mapRss } from './rss.js';
import type { FeedContext, FeedResult } from './types.js';
import { resolveUrl } from './urls.js';
import { parseXml, type XmlElement } from './xml.js';

/** Never throws for bad input: what cannot be read comes back as `error` with code, message and remedy. */
export function readFeed(bytes: Uint8Array, context: FeedContext): FeedResult {
  const { text, encoding, repairs } = decodeBytes(bytes, context.contentType);
  const start = text.trimStart();
  if (start === '')
    return failure('feed-empty', 'The answer is empty.', 'Open the address in a browser; the feed may have moved.');
  const finish = (mapped: MappedFeed, more: readonly string[]): FeedResult => {
    const { title, url, format, language, items, total } = mapped;
    const left = total > items.length ? [`${total} items; only the first ${items.length} are read`] : [];
    const all = [...repairs, ...more, ...left];
    return {
      feed: {
        ...(title === undefined ? {} : { title }),
        ...(url === undefined ? {} : { url }),
        format,
        encoding,
        repaired: all.length > 0,
        repairs: all,
        ...(language === undefined ? {} : { language }),
      },
      items,
    };
  };
  if (/^\uFEFF?[[{]/.test(start)) return readJson(start.replace(/^\uFEFF/, ''), context, finish);
  const { roots, repairs: damage } = parseXml(text, context.url);
  for (const root of roots) {
    const mapped = mapRoot(root, context.now);
    if (mapped) return finish(mapped, roots.length > 1 ? [...damage, 'several root elements'] : damage);
  }
  return notAFeed(roots, text, context.url);
}

function mapRoot(root: XmlElement, now: number): MappedFeed | undefined {
  switch (root.name) {
    case 'rss':
    case 'rdf:rdf':
    case 'rdf':
    case 'channel':
      return mapRss(root, now);
    case 'atom:feed':
    case 'feed':
    case 'atom:entry':
    case 'entry':
      return mapAtom(root, now);
    default: {
      // A feed wrapped in something, or with junk elements before it.
      if (root.name === 'html' || root.name === 'xhtml:html') return undefined;
      for (const node of root.children.filter(isElement)) {
        if (/^(rss|rdf:rdf|channel|atom:feed|feed)$/.test(node.name)) return mapRoot(node, now);
      }
      return undefined;
    }
  }
}

function readJson(
  text: string,
  context: FeedContext,
  finish: (mapped: MappedFeed, more: readonly string[]) => FeedResult,
): FeedResult {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    return failure(
      'feed-broken-json',
      `The answer starts like JSON but is not: ${cause instanceof Error ? cause.message : String(cause)}`,
      'Tell the publisher; there is no safe way to repair cut-off JSON.',
    );
  }
  if (!isJsonFeed(json))
    return failure(
      'feed-not-a-feed',
      'The answer is JSON, but not a JSON Feed.',
      'Look for the feed address on the site.',
    );
  return finish(mapJsonFeed(json, context.url, context.now), []);
}

/** Says what the document is instead, and where its feed is when it tells. */
function notAFeed(roots: readonly XmlElement[], text: string, base: string | undefined): FeedResult {
  if (/<(!doctype\s+)?html[\s>]/i.test(text.slice(0, 4096))) {
    return { error: new PageInsteadOfFeed(advertisedFeeds(text, base)) };
  }
  const root = roots[0];
  if (root === undefined)
    return failure(
      'feed-garbage',
      'The bytes hold no XML element and no JSON.',
      'Open the address in a browser to see what it serves.',
    );
  return failure(
    'feed-not-a-feed',
    `The document is XML, but <${root.name}> is no kind of feed that is known.`,
    'Known are RSS, RDF, Atom, CDF and JSON Feed.',
  );
}

/** The feed that a page named when it was read as a feed (`feed-is-page`), if it named one. */
export function advertisedFeed(error: PipelineError): string | undefined {
  return error instanceof PageInsteadOfFeed ? error.feeds[0] : undefined;
}

class PageInsteadOfFeed extends PipelineError {
  constructor(readonly feeds: readonly string[]) {
    super('feed-is-page', 'The address gives a web page, not a feed.', {
      remedy:
        feeds.length > 0
          ? `Use the feed the page names: ${feeds.join(' or ')}`
          : 'Look for the feed address on the page.',
    });
  }
}

/** Feed addresses a page names in its head (`<link rel=alternate type=application/rss+xml>`). */
export function advertisedFeeds(html: string, base: string | undefined): string[] {
  const links = html.slice(0, 200_000).match(/<link\b[^>]{1,1000}>/gi) ?? [];
  return links
    .filter(
      (link) =>
        /rel\s*=\s*["']?[^"'>]*alternate/i.test(link) &&
        /application\/(rss|atom|feed)\+(xml|json)|application\/json/i.test(link),
    )
    .map((link) => /href\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s>]+))/i.exec(link))
    .flatMap((match) => match?.[1] ?? match?.[2] ?? match?.[3] ?? [])
    .map((href) => resolveUrl(href.replaceAll('&amp;', '&'), base))
    .slice(0, 5);
}

function failure(code: string, message: string, remedy: string): FeedResult {
  return { error: new PipelineError(code, message, { remedy }) };
}
