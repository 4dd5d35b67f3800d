/** Rows of the index tables and the items made of them. */
import type { Hit, NoteMeta } from '../../runner/items.js';
import type { ChunkRecord, FileRecord, LinkRecord, NoteRecord } from '../types.js';

export interface MetaRow {
  title: string;
  type: string | null;
  domain: string | null;
  status: string | null;
  created: string | null;
  updated: string | null;
  source: string | null;
  sensitivity: NonNullable<NoteMeta['sensitivity']> | null;
  tags: string;
  aliases: string | null;
}

export interface FileRow extends MetaRow {
  id: number;
  path: string;
  size: number;
  mtime_ns: string;
  hash: Buffer;
  chunks: number;
  recipe: string | null;
  /** JSON list of fingerprints. */
  spaces: string;
}

export interface ChunkRow {
  chunk_id: number;
  idx: number;
  line_from: number;
  line_to: number;
  hash: Buffer;
  section: string;
  heading_context: string;
  text: string;
}

/** A chunk with what the keyword index was given, which removal must repeat. */
export interface IndexedChunkRow extends ChunkRow {
  path: string;
  terms: string;
}

export type HitRow = ChunkRow & MetaRow & { path: string };

export interface LinkRow {
  from: string;
  key: string;
  target: string;
  heading: string | null;
  alias: string | null;
  embed: number;
  line: number;
}

const META_COLUMNS =
  'f.path, f.title, f.type, f.domain, f.status, f.created, f.updated, f.source, f.sensitivity, f.tags, f.aliases';
export const CHUNK_COLUMNS =
  'c.id AS chunk_id, c.idx, c.line_from, c.line_to, c.hash, c.section, c.heading_context, c.text';
/** For queries over `chunks c JOIN files f`. */
export const HIT_COLUMNS = `${CHUNK_COLUMNS}, ${META_COLUMNS}`;
/** What a `FileRecord` needs, for queries over `files f`: a scan reads every file, and metadata would double its time. */
export const SCAN_COLUMNS = `f.path, f.size, f.mtime_ns, f.hash, f.chunks, f.recipe,
  (SELECT json_group_array(s.fingerprint) FROM file_spaces fs JOIN vector_spaces s ON s.id = fs.space_id
   WHERE fs.file_id = f.id) AS spaces`;
/** The same with the note's metadata. */
export const FILE_COLUMNS = `${SCAN_COLUMNS}, f.id, ${META_COLUMNS}`;

export function metaFromRow(row: MetaRow): NoteMeta {
  return {
    title: row.title,
    tags: JSON.parse(row.tags) as string[],
    ...present('type', row.type),
    ...present('domain', row.domain),
    ...present('status', row.status),
    ...present('created', row.created),
    ...present('updated', row.updated),
    ...present('source', row.source),
    ...present('sensitivity', row.sensitivity),
    ...(row.aliases === null ? {} : { aliases: JSON.parse(row.aliases) as string[] }),
  };
}

function present<K extends string, V>(key: K, value: V | null): { [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: V };
}

export function hitFromRow(row: HitRow): Omit<Hit, 'score' | 'bm25Rank' | 'vecRank'> {
  return {
    chunkId: row.chunk_id,
    path: row.path,
    section: row.section,
    text: row.text,
    lines: [row.line_from, row.line_to],
    meta: metaFromRow(row),
  };
}

export function chunkFromRow(row: HitRow): ChunkRecord {
  return {
    id: row.chunk_id,
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
    stat: { size: row.size, mtimeNs: row.mtime_ns },
    hash: row.hash.toString('hex'),
    chunks: row.chunks,
    ...present('recipe', row.recipe),
    spaces: JSON.parse(row.spaces) as string[],
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
    embed: row.embed === 1,
    line: row.line,
    ...present('heading', row.heading),
    ...present('alias', row.alias),
  };
}
