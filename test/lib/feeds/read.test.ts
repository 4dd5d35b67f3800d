/** Feeds of every format, sound and damaged, read into one shape (CASES 11, 12). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFeed } from '../../../lib/feeds/read.js';
import type { Feed, FeedItem, FeedResult } from '../../../lib/feeds/types.js';
import { parseXml } from '../../../lib/feeds/xml.js';

const now = Date.UTC(2026, 5, 1);
const fixture = (name: string) => readFileSync(join('fixtures/feeds', name));
const read = (input: string | Uint8Array, url?: string): FeedResult =>
  readFeed(typeof input === 'string' ? Buffer.from(input) : input, { now, url });

function feedOf(result: FeedResult): Feed {
  if ('error' in result) throw result.error;
  return result;
}

function itemOf(result: FeedResult, index = 0): FeedItem {
  const item = feedOf(result).items[index];
  if (!item) throw new Error(`no item ${index}`);
  return item;
}

const errorOf = (result: FeedResult) => ('error' in result ? result.error.code : undefined);
const rss = (inner: string) => `<rss version="2.0"><channel><title>T</title>${inner}</channel></rss>`;

describe('readFeed', () => {
  it('reads RSS with its modules', () => {
    const result = read(fixture('blog.rss.xml'), 'https://harbour.example/feed.xml');
    expect(feedOf(result).feed).toMatchObject({
      title: 'Harbour Engineering & Notes',
      url: 'https://harbour.example/',
      format: 'rss 2.0',
      language: 'en-gb',
      repaired: false,
    });
    expect(itemOf(result)).toEqual({
      id: 'harbour-1041',
      url: 'https://harbour.example/2026/rust-sqlite?utm_source=rss',
      title: 'Rust & SQLite: why Vec<T> was slow',
      published: '2026-02-03T08:15:00.000Z',
      author: 'Ida Vestergaard',
      summary: 'A short teaser.',
      content:
        '<p>We measured it. <a href="https://harbour.example/2025/before">Last year</a> ' +
        '<img src="https://harbour.example/img/plot.png" alt="plot" /></p><p><a>never</a></p>',
      tags: ['databases', 'rust', 'storage', 'latency'],
      enclosures: [{ url: 'https://harbour.example/talk.mp3', type: 'audio/mpeg', length: 123456 }],
    });
  });

  it('takes a guid that is a permalink for the missing link, and a person for a name', () => {
    const item = itemOf(read(fixture('blog.rss.xml')), 1);
    expect(item.url).toBe('https://harbour.example/2026/no-link');
    expect(item.author).toBe('Operations Crew');
    expect(item.title).toBeUndefined();
    expect(item.published).toBeUndefined();
  });

  it('reads Atom: xml:base at every level, xhtml, text that looks like markup, the author of the feed', () => {
    const result = read(fixture('relative.atom.xml'), 'https://cdn.example/copy.atom');
    expect(feedOf(result).feed).toMatchObject({
      title: 'Werkstatt & Bau',
      url: 'https://werkstatt.example/blog/',
      language: 'de',
    });
    expect(itemOf(result)).toMatchObject({
      id: 'tag:werkstatt.example,2026:zinken',
      url: 'https://werkstatt.example/blog/2026/zinken.html',
      title: 'Schwalbenschwanz < Zinken?',
      published: '2026-02-28T17:30:00.000Z',
      updated: '2026-03-01T07:00:00.000Z',
      author: 'Jonas Keller',
      tags: ['Holz'],
      enclosures: [{ url: 'https://werkstatt.example/blog/plan.pdf', type: 'application/pdf' }],
    });
    expect(itemOf(result).content).toContain('<a href="https://werkstatt.example/blog/2026/bild.html">das Bild</a>');
    expect(itemOf(result).content).toContain('<code>if (a &lt; b)</code>');
  });

  it('reads RDF, whatever prefixes it binds', () => {
    expect(itemOf(read(fixture('library.rdf.xml')))).toMatchObject({
      id: 'https://library.example/item/7',
      url: 'https://library.example/item/7',
      published: '2025-11-30T12:00:00.000Z',
      author: 'Reading Room',
      tags: ['catalogue'],
    });
  });

  it('reads JSON Feed: numeric ids, relative links, plain text kept as text', () => {
    const result = read(fixture('notes.json'));
    expect(feedOf(result).feed).toMatchObject({ format: 'json 1.1', title: 'Field notes' });
    expect(itemOf(result)).toMatchObject({
      id: '42',
      url: 'https://field.example/notes/42',
      author: 'Mara Lind',
      tags: ['water', 'sensors'],
      content: '<p>Levels <a href="https://field.example/map">on the map</a>.</p>',
    });
    expect(itemOf(result, 1).content).toBe('Plain text with 1 &lt; 2 &amp; no markup.');
  });

  it('reads a valid feed whatever it is served as', () => {
    const bytes = fixture('blog.rss.xml');
    expect(feedOf(readFeed(bytes, { now, contentType: 'text/html; charset=iso-8859-1' })).items).toHaveLength(2);
  });

  it('recovers every item around damage, and says what was wrong', () => {
    const { feed, items } = feedOf(read(fixture('damaged.rss.xml')));
    expect(items.map(({ title }) => title)).toEqual(['Salt & Pepper live', 'Second', 'Third, after an unclosed one']);
    expect(items[0]?.url).toBe('https://radio.example/?a=1&b=2');
    expect(feed.title).toBe('Broken Radio');
    expect(feed.repaired).toBe(true);
    for (const repair of [
      'control characters',
      'bare ampersands',
      'undeclared entities',
      'text outside the root element',
    ])
      expect(feed.repairs).toContain(repair);
    expect(feed.repairs).toContain('<item> inside an unclosed <item>');
  });

  it('keeps what arrived of a document that is cut short', () => {
    const { feed, items } = feedOf(read(fixture('truncated.rss.xml')));
    expect(items.map(({ id }) => id)).toEqual(['c1', 'c2']);
    expect(items[1]?.summary).toBe('The text stops in the mid');
    expect(feed.repairs).toContain('the end of the document is missing');
  });

  it('never makes another item of half an identifier, wherever the cut falls', () => {
    const whole = fixture('truncated.rss.xml').toString('utf8');
    const known = new Set(['c1', 'c2', 'https://cut.example/1', 'https://cut.example/2']);
    for (let cut = whole.indexOf('<item>') + 6; cut < whole.length; cut++) {
      const result = read(whole.slice(0, cut));
      for (const { id, url } of 'error' in result ? [] : result.items) {
        expect(id ?? url).toBeDefined();
        for (const identifier of [id, url]) if (identifier !== undefined) expect(known).toContain(identifier);
      }
    }
  });

  it.each([
    ['', 'feed-empty'],
    ['  \n', 'feed-empty'],
    ['\u0000\u0001\u0002garbage without any markup', 'feed-garbage'],
    ['<!doctype html><html><head><title>Not here</title></head></html>', 'feed-is-page'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'feed-not-a-feed'],
    ['{"version": "https://jsonfeed.org/version/1", "items": [', 'feed-broken-json'],
    ['{"hello": 1}', 'feed-not-a-feed'],
  ])('says why %j is no feed', (input, code) => {
    expect(errorOf(read(input))).toBe(code);
  });

  it('names the feed of a page', () => {
    const page = '<html><head><link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2"></head></html>';
    const result = read(page, 'https://site.example/about');
    expect('error' in result && result.error.remedy).toContain('https://site.example/feed?a=1&b=2');
  });

  it('leaves out dates that cannot be, and takes the next one', () => {
    const later = '<dcterms:created xmlns:dcterms="http://purl.org/dc/terms/">2020-02-02</dcterms:created>';
    const result = read(rss(`<item><guid>a</guid><pubDate>2031-01-01T00:00:00Z</pubDate>${later}</item>`));
    expect(itemOf(result).published).toBe('2020-02-02T00:00:00.000Z');
  });

  it('does not expand entities into a bomb', () => {
    const a = `<!ENTITY a "${'ha'.repeat(400)}">`;
    const bomb = `<!DOCTYPE rss [${a}<!ENTITY b "${'&a;'.repeat(50)}"><!ENTITY c "${'&b;'.repeat(50)}">]>`;
    const result = read(bomb + rss('<item><title>&c;</title><guid>1</guid></item>'));
    expect(itemOf(result).title?.length ?? 0).toBeLessThan(2000);
  });
});

describe('parseXml', () => {
  it.each([
    ['nesting', '<a>'.repeat(100_000)],
    ['end tags without start', '<r>'.repeat(200) + '</b>'.repeat(100_000)],
    ['unclosed items', `<rss><channel>${'<item>'.repeat(100_000)}`],
    ['ampersands', `<r>${'&'.repeat(200_000)}`],
    ['comments before the root', `${'<!-- -->'.repeat(50_000)}<r/>`],
    ['attributes', `<r ${Array.from({ length: 20_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`],
  ])('takes bounded time on %s', (_, source) => {
    const before = process.cpuUsage();
    parseXml(source);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
