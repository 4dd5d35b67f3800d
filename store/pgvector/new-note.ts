/**
 * Puts a note the index has not seen into it: file, chunks, vectors and links in one statement. An index run from nothing
 * is made of these, and each further question to the server would cost it a quarter of its time.
 */
import { toSql } from 'pgvector';
import { linkKey } from '../../lib/links/resolve.js';
import type { Stemmer } from '../../lib/query/stemmer.js';
import type { Chunk, IndexedNote, NoteLink } from '../../runner/items.js';
import { type PgClient, rows } from './connection.js';
import { Params, tagKeys } from './filter.js';
import { textVector } from './text.js';
import { type StoredSpace, tableOf } from './vectors.js';

/** The columns of `files` and what the note puts into them. */
export function fileColumns({ file, meta, chunks }: IndexedNote): Readonly<Record<string, unknown>> {
  return {
    path: file.path,
    name_key: linkKey(file.path),
    size: file.stat.size,
    mtime_ns: file.stat.mtimeNs,
    hash: Buffer.from(file.hash ?? '', 'hex'),
    chunks: chunks.length,
    recipe: file.recipe ?? null,
    title: meta.title,
    type: meta.type ?? null,
    domain: meta.domain ?? null,
    status: meta.status ?? null,
    created: meta.created ?? null,
    updated: meta.updated ?? null,
    source: meta.source ?? null,
    sensitivity: meta.sensitivity ?? null,
    tags: meta.tags,
    tag_keys: tagKeys(meta.tags),
    aliases: meta.aliases ?? null,
    alias_keys: (meta.aliases ?? []).map((alias) => alias.toLowerCase()),
  };
}

/** Several columns at once as rows of `g`. */
function given(
  params: Params,
  columns: Readonly<Record<string, readonly [type: string, values: readonly unknown[]]>>,
): string {
  const arrays = Object.values(columns).map(([type, values]) => `${params.add(values)}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS g(${Object.keys(columns).join(', ')})`;
}

/** `INSERT INTO links` of the file whose id `file` gives, an expression over the tables in `from`. */
export function insertLinksSql(links: readonly NoteLink[], params: Params, file: string, from: string): string {
  const rows = given(params, {
    key: ['text', links.map((link) => linkKey(link.target))],
    target: ['text', links.map((link) => link.target)],
    heading: ['text', links.map((link) => link.heading ?? null)],
    alias: ['text', links.map((link) => link.alias ?? null)],
    embed: ['bool', links.map((link) => link.embed)],
    line: ['int', links.map((link) => link.line)],
  });
  return `INSERT INTO links (file_id, key, target, heading, alias, embed, line) SELECT ${file}, g.* FROM ${from}${rows}`;
}

/** `INSERT INTO chunks` of the file whose id `file` gives, an expression over the tables in `from`; gives ids by `idx`. */
export function insertChunksSql(
  chunks: readonly Chunk[],
  path: string,
  params: Params,
  file: string,
  from: string,
  stemmer: Stemmer,
): string {
  const fts = chunks.map((chunk) => textVector({ ...chunk, path }, stemmer));
  const rows = given(params, {
    idx: ['int', chunks.map((chunk) => chunk.index)],
    a: ['int', chunks.map((chunk) => chunk.lines[0])],
    b: ['int', chunks.map((chunk) => chunk.lines[1])],
    hash: ['text', chunks.map((chunk) => chunk.hash)],
    section: ['text', chunks.map((chunk) => chunk.section)],
    heading: ['text', chunks.map((chunk) => chunk.headingContext)],
    text: ['text', chunks.map((chunk) => chunk.text)],
    fts: ['text', fts.map((vector) => vector.fts)],
    words: ['int', fts.map((vector) => vector.words)],
  });
  return `INSERT INTO chunks (file_id, idx, line_from, line_to, hash, section, heading_context, text, fts, words)
    SELECT ${file}, g.idx, g.a, g.b, decode(g.hash, 'hex'), g.section, g.heading, g.text, g.fts::tsvector, g.words
    FROM ${from}${rows} RETURNING id, idx`;
}

/** False, and nothing written, when the index has the note already. Vectors are given for all chunks or not at all. */
export async function insertNew(
  on: PgClient,
  note: IndexedNote,
  space: StoredSpace | undefined,
  vectors: readonly Float32Array[] | undefined,
  stemmer: Stemmer,
): Promise<boolean> {
  const params = new Params();
  const columns = fileColumns(note);
  const parts = [
    `f AS (INSERT INTO files (${Object.keys(columns).join(', ')})
       VALUES (${Object.values(columns)
         .map((value) => params.add(value))
         .join(', ')}) ON CONFLICT (path) DO NOTHING RETURNING id)`,
  ];
  if (note.chunks.length > 0)
    parts.push(`c AS (${insertChunksSql(note.chunks, note.file.path, params, 'f.id', 'f, ', stemmer)})`);
  if (note.links.length > 0) parts.push(`l AS (${insertLinksSql(note.links, params, 'f.id', 'f, ')})`);
  if (space && vectors) {
    parts.push(`s AS (INSERT INTO file_spaces SELECT f.id, ${space.id} FROM f)`);
    if (vectors.length > 0) {
      const rows = given(params, {
        idx: ['int', note.chunks.map((chunk) => chunk.index)],
        v: ['text', vectors.map((vector) => toSql([...vector]) as string)],
      });
      parts.push(
        `v AS (INSERT INTO ${tableOf(space)} (chunk_id, v) SELECT c.id, g.v::vector FROM c JOIN ${rows} USING (idx))`,
      );
    }
  }
  return (await rows(on, `WITH ${parts.join(',\n')} SELECT id FROM f`, params.values)).length > 0;
}
