/** What gofeed's test files expect of a feed, brought into our shape: each pair of NAME.xml and NAME.json. */
import { existsSync, readFileSync } from 'node:fs';
import { htmlToText } from '../../lib/feeds/html.js';

export interface Json {
  readonly feed?: Record<string, unknown> | null;
  readonly items?: readonly Record<string, unknown>[];
  readonly error?: unknown;
}

export interface Expectation {
  readonly what: string;
  /** Index of the item, or undefined for the feed itself. */
  readonly item?: number;
  readonly want: string;
  readonly fields: readonly string[];
}

type Loose = Record<string, unknown>;

/** Expectations by input file; inputs whose expectation is not an object are left out. */
export function gofeedExpectations(files: readonly string[]): { file: string; expectations: Expectation[] }[] {
  return files
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const input = [file.replace(/\.json$/, '.xml'), file.replace('_expected.json', '.json')].find(
        (candidate) => candidate !== file && existsSync(candidate),
      );
      const want = parsed(file);
      return input === undefined || want === undefined ? [] : [{ file: input, expectations: expectationsOf(want) }];
    });
}

function parsed(file: string): Loose | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Loose;
  } catch {
    return undefined;
  }
}

function expectationsOf(want: Loose): Expectation[] {
  const found: Expectation[] = [];
  const add = (what: string, value: unknown, fields: readonly string[], item?: number) => {
    if (typeof value === 'string') found.push({ what, want: value, fields, ...(item === undefined ? {} : { item }) });
  };
  add('title', want['title'], ['title']);
  const items = (want['items'] ?? want['entries'] ?? []) as Loose[];
  for (const [index, item] of items.entries()) {
    add('title', item['title'], ['title'], index);
    add('link', linkOf(item), ['url'], index);
    add('id', (item['guid'] as Loose | undefined)?.['value'] ?? item['guid'] ?? item['id'], ['id'], index);
    const published = item['publishedParsed'] ?? item['pubDateParsed'] ?? item['date_published'];
    add('date', published, ['published', 'updated'], index);
    add('date', item['updatedParsed'] ?? item['date_modified'], ['published', 'updated'], index);
    add('description', item['description'] ?? item['summary'], ['summary', 'content'], index);
    add('author', authorOf(item), ['author'], index);
  }
  return found;
}

function linkOf(item: Loose): unknown {
  const links = item['links'] as (Loose | string)[] | undefined;
  const alternate = links?.find((link) => typeof link === 'object' && link['rel'] === 'alternate') as Loose | undefined;
  return item['link'] ?? item['url'] ?? alternate?.['href'];
}

function authorOf(item: Loose): unknown {
  const first = (item['authors'] as Loose[] | undefined)?.[0] ?? item['author'];
  return typeof first === 'object' ? (first as Loose | null)?.['name'] : first;
}

/** Compares instants for dates; otherwise text with markup and white space aside, as plain text or as HTML. */
export function meetsGofeed({ what, item, want, fields }: Expectation, json: Json): boolean {
  const holder = (item === undefined ? json.feed : json.items?.[item]) ?? {};
  return fields.some((field) => {
    const got = holder[field];
    if (typeof got !== 'string') return false;
    if (what === 'date') return Math.abs(Date.parse(got) - Date.parse(want)) < 1000;
    return got === want || got === htmlToText(want) || htmlToText(got) === htmlToText(want);
  });
}
