/** Rows of the tables and the items made of them. */
import type { Hit, NoteMeta } from '../../runner/items.js';
import type { ChunkRecord, FileRecord, LinkRecord, NoteRecord } from '../types.js';

export interface MetaRow {
  readonly title: string;
  readonly type: string | null;
  readonly domain: string | null;
  readonly status: string | null;
  readonly created: string | null;
  readonly updated: string | null;
  readonly source: string | null;
  readonly sensitivity: NonNullable<NoteMeta['sensitivity']> | null;
  readonly tags: string[];
  readonly aliases: string[] | null;
}

/** `bigint` columns arrive as strings: pg does not round them. */
export interface FileRow extends MetaRow {
  readonly id: string;
  readonly path: string;
  readonly size: string;
  readonly mtime_ns: string;
  readonly hash: Buffer;
  readonly chunks: number;
  readonly recipe: string | null;
  readonly spaces: string[];
}

export interface ChunkRow {
  readonly chunk_id: string;
  readonly idx: number;
  readonly line_from: number;
  readonly line_to: number;
  readonly hash: Buffer;
  readonly section: string;
  readonly heading_context: string;
  readonly text: string;
}

export type HitRow = ChunkRow & MetaRow & { readonly path: string };

export interface LinkRow {
  readonly from: string;
  readonly key: string;
  readonly target: string;
  readonly heading: string | null;
  readonly alias: string | null;
  readonly embed: boolean;
  readonly line: number;
}

const META_COLUMNS =
  'f.path, f.title, f.type, f.domain, f.status, f.created, f.updated, f.source, f.sensitivity, f.tags, f.aliases';
/** For queries over `chunks c JOIN files f`. */
export const HIT_COLUMNS = `c.id AS chunk_id, c.idx, c.line_from, c.line_to, c.hash, c.section, c.heading_context, c.text, ${META_COLUMNS}`;
/** For queries over `files f`. */
export const FILE_COLUMNS = `f.id, f.size, f.mtime_ns, f.hash, f.chunks, f.recipe, ${META_COLUMNS},
  ARRAY(SELECT s.fingerprint FROM file_spaces fs JOIN vector_spaces s ON s.id = fs.space_id
        WHERE fs.file_id = f.id ORDER BY s.id) AS spaces`;

export function metaFromRow(row: MetaRow): NoteMeta {
  return {
    title: row.title,
    tags: row.tags,
    ...present('type', row.type),
    ...present('domain', row.domain),
    ...present('status', row.status),
    ...present('created', row.created),
    ...present('updated', row.updated),
    ...present('source', row.source),
    ...present('sensitivity', row.sensitivity),
    ...present('aliases', row.aliases),
  };
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

export function fileFromRow(row: FileRow): FileRecord {
  return {
    path: row.path,
    stat: { size: Number(row.size), mtimeNs: row.mtime_ns },
    hash: row.hash.toString('hex'),
    chunks: row.chunks,
    ...present('recipe', row.recipe),
    spaces: row.spaces,
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
    embed: row.embed,
    line: row.line,
    ...present('heading', row.heading),
    ...present('alias', row.alias),
  };
}
