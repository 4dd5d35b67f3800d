/** What a note says about itself: frontmatter first, then Logseq properties, headings, inline tags and the file. */
import type { FileStat, NoteMeta } from '../../runner/items.js';
import type { Structure } from '../chunk/blocks.js';
import { plainInline } from '../chunk/plain.js';
import { proseLines } from '../links/extract.js';

const SENSITIVITY = ['public', 'internal', 'private', 'secret'] as const;
/** Obsidian's rule: a letter must be in it, `/` nests. Not inside a word, a URL or a heading mark. */
const INLINE_TAG = /(?<![\p{L}\p{N}_/#&-])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)/gu;
const PROPERTY = /^(?:- )?([\p{L}][\p{L}\p{N}_-]*)::\s+(\S.*)$/u;

export interface MetaInput {
  readonly path: string;
  readonly stat: FileStat;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly structure: Structure;
}

/**
 * The note's metadata. `updated` falls back to the day the file was last modified, which the caller asks for only when
 * the content changed: re-indexing never makes a note look fresh.
 */
export function readNoteMeta({ path, stat, frontmatter, structure }: MetaInput): NoteMeta {
  const data = { ...logseqProperties(structure), ...lowerKeys(frontmatter) };
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  const sensitivity = SENSITIVITY.find((s) => s === text(data['sensitivity'])?.toLowerCase());
  const aliases = list(data['aliases'] ?? data['alias'], /,/);
  return {
    title: text(data['title']) ?? heading(structure) ?? name.normalize('NFC'),
    tags: tagsOf(data, structure),
    ...optional('type', text(data['type'])),
    ...optional('domain', text(data['domain'])),
    ...optional('status', text(data['status'])),
    ...optional('created', day(data['created'] ?? data['date'] ?? data['date-created'])),
    updated:
      day(data['updated'] ?? data['modified'] ?? data['last-modified'] ?? data['date-modified']) ?? fileDay(stat),
    ...optional('source', text(data['source'] ?? data['url'])),
    ...optional('sensitivity', sensitivity),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}

/** `kanban` and `excalidraw` files are drawings in Markdown's clothes: their text is coordinates and card ids. */
export function plugInFormat(path: string, frontmatter: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.hasOwn(frontmatter, 'kanban-plugin')) return 'kanban';
  if (Object.hasOwn(frontmatter, 'excalidraw-plugin') || /\.excalidraw\.md$/i.test(path)) return 'excalidraw';
  return undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function lowerKeys(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([key, v]) => [key.toLowerCase().replace(/[ _]/g, '-'), v]));
}

/** `title:: x` lines at the very top of a Logseq page. */
function logseqProperties({ lines }: Structure): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const line of lines) {
    const property = PROPERTY.exec(line);
    if (!property) break;
    found[(property[1] ?? '').toLowerCase()] = property[2];
  }
  return found;
}

function heading({ blocks }: Structure): string | undefined {
  const first = blocks.find((block) => block.kind === 'heading' && block.depth === 1);
  return first ? plainInline(first.title ?? '') || undefined : undefined;
}

function tagsOf(data: Readonly<Record<string, unknown>>, structure: Structure): string[] {
  const tags = new Map<string, string>();
  const add = (tag: string): void => {
    const clean = tag.replace(/^#/, '').replace(/\/+$/, '').normalize('NFC');
    if (clean !== '' && !tags.has(clean.toLowerCase())) tags.set(clean.toLowerCase(), clean);
  };
  for (const tag of list(data['tags'] ?? data['tag'], /[,\s]+/)) add(tag);
  for (const [, line] of proseLines(structure))
    if (line.includes('#')) for (const [, tag = ''] of line.replace(/`[^`]*`/g, ' ').matchAll(INLINE_TAG)) add(tag);
  return [...tags.values()];
}

function text(value: unknown): string | undefined {
  if (Array.isArray(value)) return text(value[0]);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const trimmed = String(value).normalize('NFC').trim();
  return trimmed === '' ? undefined : trimmed;
}

function list(value: unknown, separator: RegExp): string[] {
  const values: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(separator) : [value];
  return values.flatMap((v) => text(v)?.replace(/^\[\[(.*)\]\]$/, '$1') ?? []);
}

/** YYYY-MM-DD of a date in ISO order, a YAML timestamp, or `[[2024-01-31]]`. */
function day(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10);
  const match = /^\W*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text(value) ?? '');
  if (!match) return undefined;
  const iso = `${match[1]}-${match[2]?.padStart(2, '0')}-${match[3]?.padStart(2, '0')}`;
  const parsed = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== iso ? undefined : iso;
}

function fileDay({ mtimeNs }: FileStat): string {
  return new Date(Number(BigInt(mtimeNs) / 1_000_000n)).toISOString().slice(0, 10);
}
