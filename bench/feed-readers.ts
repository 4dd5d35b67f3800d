/** How much of feedparser's expectations each feed parser meets, and how fast: `npx tsx bench/feed-readers.ts FOLDER TOOL`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseFeed } from 'feedsmith';
import Parser from 'rss-parser';
import { readFeed } from '../lib/feeds/read.js';
import { feedReport } from '../lib/feeds/report.js';

type Loose = Record<string, unknown>;
type Reader = (bytes: Buffer) => Promise<unknown> | unknown;

const text = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? ((value as Loose)['value'] ?? (value as Loose)['name']) : value;

const readers: Readonly<Record<string, Reader>> = {
  async 'rss-parser'(bytes) {
    const feed = await new Parser().parseString(bytes.toString('utf8'));
    return {
      feed: { title: feed.title },
      items: feed.items.map((item) => ({
        id: item.guid ?? (item as unknown as Loose)['id'],
        url: item.link,
        title: item.title,
        published: item.isoDate,
        author: item.creator ?? (item as unknown as Loose)['author'],
        summary: item.summary ?? item.content,
        content: (item as unknown as Loose)['content:encoded'] ?? item.content,
      })),
    };
  },
  feedsmith(bytes) {
    const { feed } = parseFeed(bytes.toString('utf8')) as unknown as { feed: Loose };
    const items = (feed['items'] ?? feed['entries'] ?? []) as Loose[];
    return {
      feed: { title: text(feed['title']) },
      items: items.map((item) => ({
        id: text(item['guid']) ?? item['id'],
        url: item['link'] ?? ((item['links'] as Loose[] | undefined)?.[0]?.['href'] as unknown),
        title: text(item['title']),
        published: item['pubDate'] ?? item['published'] ?? (item['dc'] as Loose | undefined)?.['date'],
        updated: item['updated'],
        author: text((item['authors'] as unknown[] | undefined)?.[0]),
        summary: text(item['description'] ?? item['summary']),
        content: text((item['content'] as Loose | undefined)?.['encoded'] ?? item['content']),
      })),
    };
  },
  sluice: (bytes) => feedReport(readFeed(bytes, { now: Date.now() }), Date.now()),
};

interface Tool {
  expectations(file: string): { what: string; want: unknown }[];
  meets(expectation: { what: string; want: unknown }, json: unknown): boolean;
}

const [folder = '', tool = ''] = process.argv.slice(2);
const { expectations, meets } = (await import(pathToFileURL(tool).href)) as Tool;
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.xml'))
  .map((entry) => join(entry.parentPath, entry.name));
const met = new Map<string, Set<string>>();
let total = 0;
for (const [name, read] of Object.entries(readers)) {
  const own = new Set<string>();
  let failed = 0;
  total = 0;
  const before = process.cpuUsage();
  for (const file of files) {
    let json: unknown = {};
    try {
      json = await read(readFileSync(file));
    } catch {
      failed++;
    }
    for (const [index, expectation] of expectations(file).entries()) {
      total++;
      if (meets(expectation, json)) own.add(`${file} ${index}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  met.set(name, own);
  const share = ((100 * own.size) / total).toFixed(1);
  console.log(
    `${name}: ${own.size}/${total} (${share} %), ${failed} of ${files.length} files refused, ${Math.round((user + system) / 1000)} ms CPU`,
  );
}
const either = new Set([...(met.get('rss-parser') ?? []), ...(met.get('feedsmith') ?? [])]);
console.log(`rss-parser or feedsmith: ${either.size}/${total} (${((100 * either.size) / total).toFixed(1)} %)`);
