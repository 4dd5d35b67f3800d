/** JSON Feed 1.0 and 1.1, leniently: a field of the wrong type is left out, never an error. */
import { isoDateOf } from '../dates.js';
import { distinct } from './elements.js';
import { escapeHtml, foldSpace, sanitizeHtml } from './html.js';
import { compact, MAX_ITEMS, type MappedFeed } from './rss.js';
import type { Enclosure, FeedItem } from './types.js';
import { resolveUrl } from './urls.js';

type Json = Readonly<Record<string, unknown>>;

/** True for an object that says it is a JSON Feed, or looks like one. */
export function isJsonFeed(value: unknown): value is Json {
  if (!isObject(value)) return false;
  return /jsonfeed\.org/i.test(string(value.version) ?? '') || Array.isArray(value.items);
}

export function mapJsonFeed(json: Json, base: string | undefined, now: number): MappedFeed {
  const home = string(json.home_page_url);
  const url = home === undefined ? undefined : resolveUrl(home, base);
  const context = { base: base ?? url ?? string(json.feed_url), now, feed: json };
  const items = list(json.items).filter(isObject);
  const version = /version\/([\d.]+)/.exec(string(json.version) ?? '')?.[1];
  return {
    title: text(json.title),
    url,
    format: version === undefined ? 'json' : `json ${version}`,
    language: string(json.language),
    total: items.length,
    items: items.slice(0, MAX_ITEMS).map((item) => jsonItem(item, context)),
  };
}

interface JsonContext {
  readonly base: string | undefined;
  readonly now: number;
  readonly feed: Json;
}

function jsonItem(item: Json, { base, now, feed }: JsonContext): FeedItem {
  const html = string(item.content_html);
  const plain = string(item.content_text);
  const url = string(item.url) ?? string(item.external_url);
  const published = isoDateOf(string(item.date_published), now);
  const updated = isoDateOf(string(item.date_modified), now);
  const summary = string(item.summary);
  return compact({
    id: string(item.id),
    url: url === undefined ? undefined : resolveUrl(url, base),
    title: text(item.title),
    published: published ?? updated,
    updated,
    author: authorName(item) ?? authorName(feed),
    summary: summary === undefined ? undefined : escapeHtml(summary).trim(),
    content: html !== undefined ? sanitizeHtml(html, base) : plain === undefined ? undefined : escapeHtml(plain),
    tags: distinct(list(item.tags).map(string)),
    language: string(item.language) ?? string(feed.language),
    enclosures: list(item.attachments)
      .filter(isObject)
      .flatMap((file) => attachment(file, base)),
  });
}

function authorName(holder: Json): string | undefined {
  for (const author of [...list(holder.authors), holder.author]) {
    const name = isObject(author) ? (text(author.name) ?? string(author.url)) : text(author);
    if (name !== undefined) return name;
  }
  return undefined;
}

function attachment(file: Json, base: string | undefined): Enclosure[] {
  const url = string(file.url);
  if (url === undefined) return [];
  const type = string(file.mime_type);
  const length = Number(file.size_in_bytes);
  return [
    {
      url: resolveUrl(url, base),
      ...(type === undefined ? {} : { type }),
      ...(Number.isSafeInteger(length) && length > 0 ? { length } : {}),
    },
  ];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Non-blank string; numbers count, because ids and dates are written as numbers too. */
function string(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function text(value: unknown): string | undefined {
  const found = string(value);
  return found === undefined ? undefined : foldSpace(found);
}
