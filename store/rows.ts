/**
 * Rows of the index tables and the items made of them, for every SQL store. Drivers differ in a few types only: SQLite
 * keeps lists as JSON text and booleans as numbers; PostgreSQL's `bigint` arrives as a string, because pg does not round.
 */
import type { Hit, NoteMeta } from '../runner/items.js';
import type { ChunkRecord, FileRecord, LinkRecord, NoteRecord } from './types.js';

type SqlInteger = number | string;
type SqlList = string | readonly string[];

export interface MetaRow {
  readonly title: string;
  readonly type: string | null;
  readonly domain: string | null;
  readonly status: string | null;
  readonly created: string | null;
  readonly updated: string | null;
  readonly source: string | null;
  readonly sensitivity: NonNullable<NoteMeta['sensitivity']> | null;
  readonly tags: SqlList;
  readonly aliases: SqlList | null;
}

export interface FileRow extends MetaRow {
  readonly id: SqlInteger;
  readonly path: string;
  readonly size: SqlInteger;
  readonly mtime_ns: string;
  readonly hash: Buffer;
  readonly chunks: number;
  readonly recipe: string | null;
  /** Fingerprints of the spaces the note is whole in. */
  readonly spaces: SqlList;
}

export interface ChunkRow<Id extends SqlInteger = SqlInteger> {
  readonly chunk_id: Id;
  readonly idx: number;
  readonly line_from: number;
  readonly line_to: number;
  readonly hash: Buffer;
  readonly section: string;
  readonly heading_context: string;
  readonly text: string;
}

export type HitRow<Id extends SqlInteger = SqlInteger> = ChunkRow<Id> & MetaRow & { readonly path: string };

export interface LinkRow {
  readonly from: string;
  readonly key: string;
  readonly target: string;
  readonly heading: string | null;
  readonly alias: string | null;
  readonly embed: number | boolean;
  readonly line: number;
}

export const META_COLUMNS =
  'f.path, f.title, f.type, f.domain, f.status, f.created, f.updated, f.source, f.sensitivity, f.tags, f.aliases';
export const CHUNK_COLUMNS =
  'c.id AS chunk_id, c.idx, c.line_from, c.line_to, c.hash, c.section, c.heading_context, c.text';
/** For queries over `chunks c JOIN files f`. */
export const HIT_COLUMNS = `${CHUNK_COLUMNS}, ${META_COLUMNS}`;
/** What a `FileRecord` needs of `files f` itself; its spaces are selected in each store's own SQL. */
export const STAT_COLUMNS = 'f.path, f.size, f.mtime_ns, f.hash, f.chunks, f.recipe';

export function metaFromRow(row: MetaRow): NoteMeta {
  return {
    title: row.title,
    tags: list(row.tags),
    ...present('type', row.type),
    ...present('domain', row.domain),
    ...present('status', row.status),
    ...present('created', row.created),
    ...present('updated', row.updated),
    ...present('source', row.source),
    ...present('sensitivity', row.sensitivity),
    ...(row.aliases === null ? {} : { aliases: list(row.aliases) }),
  };
}

function list(value: SqlList): string[] {
  return typeof value === 'string' ? (JSON.parse(value) as string[]) : [...value];
}

function present<K extends string, V>(key: K, value: V | null): { [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: V };
}

export function hitFromRow(row: HitRow): Omit<Hit, 'score' | 'bm25Rank' | 'vecRank'> {
  return {
    chunkId: Number(row.chunk_id),
    path: row.path,
    section: row.section,
    text: row.text,
    lines: [row.line_from, row.line_to],
    meta: metaFromRow(row),
  };
}

export function chunkFromRow(row: HitRow): ChunkRecord {
  return {
    id: Number(row.chunk_id),
    index: row.idx,
    path: row.path,
    section: row.section,
    headingContext: row.heading_context,
    text: row.text,
    lines: [row.line_from, row.line_to],
    hash: row.hash.toString('hex'),
    meta: metaFromRow(row),
  };
}

export function fileFromRow(row: Omit<FileRow, keyof MetaRow | 'id'>): FileRecord {
  return {
    path: row.path,
    stat: { size: Number(row.size), mtimeNs: row.mtime_ns },
    hash: row.hash.toString('hex'),
    chunks: row.chunks,
    ...present('recipe', row.recipe),
    spaces: list(row.spaces),
  };
}

export function noteFromRow(row: FileRow): NoteRecord {
  return { ...fileFromRow(row), meta: metaFromRow(row) };
}

export function linkFromRow(row: LinkRow, to: string | null): LinkRecord {
  return {
    from: row.from,
    to,
    target: row.target,
    embed: Boolean(row.embed),
    line: row.line,
    ...present('heading', row.heading),
    ...present('alias', row.alias),
  };
}
