/** Vector spaces in SQLite: one vec0 table each, int8, cosine; upkeep, reuse by chunk hash, and exact search. */
import type Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { Hit } from '../../runner/items.js';
import type { VectorMatchOptions, VectorSpace } from '../types.js';
import type { Db } from './database.js';
import { filterSql, isEmptyFilter } from './filter.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from './rows.js';

/** A space as this database knows it. */
export interface StoredSpace extends VectorSpace {
  readonly id: number;
  readonly table: string;
  readonly active: boolean;
}

type Statement = Database.Statement<unknown[]>;

/** vec0 refuses a larger k. */
const MAX_K = 4096;

/** Loads the extension; gives the reason when it cannot be loaded. Search then goes on with keywords. */
export function loadVectors(db: Db): string | undefined {
  try {
    sqliteVec.load(db);
    return undefined;
  } catch (error) {
    return `sqlite-vec did not load: ${messageOf(error)}`;
  }
}

/**
 * Int8 with a scale of its own for each vector: a quarter of the size of float32 (13 MB instead of 52 MB for 50,700
 * chunks of 256 dimensions). Cosine does not see the scale.
 */
export function quantize(vector: Float32Array): Buffer {
  let max = 0;
  for (const x of vector) max = Math.max(max, Math.abs(x));
  const out = Buffer.alloc(vector.length);
  if (max === 0) return out;
  for (let i = 0; i < vector.length; i++) out.writeInt8(Math.round(((vector[i] ?? 0) / max) * 127), i);
  return out;
}

export class VectorIndex {
  constructor(private readonly db: Db) {}

  spaces(): readonly StoredSpace[] {
    const rows = this.prepare(
      'SELECT id, fingerprint, model, dimensions, table_name AS "table", active FROM vector_spaces ORDER BY id',
    ).all() as (Omit<StoredSpace, 'active'> & { active: number })[];
    return rows.map((row) => ({ ...row, active: row.active === 1 }));
  }

  active(): StoredSpace | undefined {
    return this.spaces().find((space) => space.active);
  }

  byId(id: number): StoredSpace | undefined {
    return this.spaces().find((space) => space.id === id);
  }

  /** The stored form of a space, made on first use; the first space of an index becomes active at once. */
  ensure(space: VectorSpace): StoredSpace {
    const spaces = this.spaces();
    const known = spaces.find((s) => s.fingerprint === space.fingerprint);
    if (known) return known;
    let table = 'chunk_vecs';
    for (let n = 2; spaces.some((s) => s.table === table); n++) table = `chunk_vecs_${n}`;
    const dimensions = Math.trunc(space.dimensions);
    this.db.exec(`CREATE VIRTUAL TABLE ${table} USING vec0(embedding int8[${dimensions}] distance_metric=cosine)`);
    this.db
      .prepare('INSERT INTO vector_spaces(fingerprint, model, dimensions, table_name, active) VALUES (?, ?, ?, ?, ?)')
      .run(space.fingerprint, space.model, dimensions, table, spaces.length === 0 ? 1 : 0);
    return this.ensure(space);
  }

  insert({ table }: StoredSpace, chunkId: number, vector: Buffer): void {
    this.prepare(`INSERT INTO ${table}(rowid, embedding) VALUES (?, vec_int8(?))`).run(BigInt(chunkId), vector);
  }

  remove({ table }: StoredSpace, chunkId: number): void {
    this.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(BigInt(chunkId));
  }

  /** The stored bytes of a chunk's vector, for reuse by another chunk with the same content. */
  bytes({ table }: StoredSpace, chunkId: number): Buffer | undefined {
    const row = this.prepare(`SELECT embedding FROM ${table} WHERE rowid = ?`).get(BigInt(chunkId));
    return (row as { embedding: Buffer } | undefined)?.embedding;
  }

  count({ table }: StoredSpace): number {
    const row = this.prepare(`SELECT count(*) AS n FROM ${table}_rowids`).get();
    return (row as { n: number }).n;
  }

  /** How many vectors belong to no chunk of a member note, and how many such chunks lack theirs; both must be 0. */
  strays({ id, table }: StoredSpace): { readonly orphans: number; readonly missing: number } {
    const one = (sql: string): number => (this.db.prepare(sql).get() as { n: number }).n;
    return {
      orphans: one(`SELECT count(*) AS n FROM ${table}_rowids WHERE rowid NOT IN (${members(id)})`),
      missing: one(`SELECT count(*) AS n FROM (${members(id)}) WHERE id NOT IN (SELECT rowid FROM ${table}_rowids)`),
    };
  }

  /** Removes vectors that lost their chunk while the extension was not there to remove them. */
  sweep({ id, table }: StoredSpace): void {
    const orphans = this.db
      .prepare<[], { id: number }>(`SELECT rowid AS id FROM ${table}_rowids WHERE rowid NOT IN (${members(id)})`)
      .all();
    for (const orphan of orphans) this.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(BigInt(orphan.id));
  }

  activate(space: StoredSpace): void {
    this.db.prepare('UPDATE vector_spaces SET active = (id = ?)').run(space.id);
    for (const other of this.spaces()) if (other.id !== space.id) this.drop(other);
  }

  drop(space: StoredSpace): void {
    this.db.exec(`DROP TABLE IF EXISTS ${space.table}`);
    this.db.prepare('DELETE FROM file_spaces WHERE space_id = ?').run(space.id);
    this.db.prepare('DELETE FROM vector_spaces WHERE id = ?').run(space.id);
    this.statements.clear();
  }

  match(vector: Float32Array, { top, filter, fingerprint }: VectorMatchOptions): readonly Hit[] {
    const space = this.active();
    if (!space) return [];
    if (space.fingerprint !== fingerprint) throw vectorMismatch(space);
    const where = filterSql(filter);
    const narrowed = isEmptyFilter(filter)
      ? ''
      : `AND v.rowid IN (SELECT c.id FROM chunks c JOIN files f ON f.id = c.file_id WHERE ${where.sql})`;
    const rows = this.db
      .prepare<unknown[], HitRow & { distance: number | null }>(
        `WITH nearest AS MATERIALIZED (
           SELECT v.rowid AS id, v.distance FROM ${space.table} v
           WHERE v.embedding MATCH vec_int8(?) AND k = ? ${narrowed}
         )
         SELECT ${HIT_COLUMNS}, n.distance FROM nearest n JOIN chunks c ON c.id = n.id JOIN files f ON f.id = c.file_id
         JOIN file_spaces fs ON fs.file_id = f.id AND fs.space_id = ${space.id}
         WHERE n.distance IS NOT NULL ORDER BY n.distance, c.id`,
      )
      .all(quantize(vector), Math.min(top, MAX_K), ...where.params);
    return rows.map((row, i) => ({
      ...hitFromRow(row),
      score: 1 - (row.distance ?? 1),
      cosine: 1 - (row.distance ?? 1),
      bm25Rank: null,
      vecRank: i + 1,
    }));
  }

  /** Vectors as stored: whole numbers from -127 to 127, each vector with a scale of its own. */
  stored(ids: readonly number[], fingerprint: string): ReadonlyMap<number, Float32Array> {
    const space = this.spaces().find((s) => s.fingerprint === fingerprint);
    const found = new Map<number, Float32Array>();
    for (const id of space ? ids : []) {
      const bytes = space && this.bytes(space, id);
      if (bytes) found.set(id, Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)));
    }
    return found;
  }

  /** Cosine of chosen chunks: one scan that passes over all others. */
  similarities(ids: readonly number[], vector: Float32Array, fingerprint: string): ReadonlyMap<number, number> {
    const space = this.active();
    if (!space || ids.length === 0) return new Map();
    if (space.fingerprint !== fingerprint) throw vectorMismatch(space);
    const rows = this.prepare(
      `SELECT rowid AS id, distance FROM ${space.table}
       WHERE embedding MATCH vec_int8(?) AND k = ? AND rowid IN (SELECT value FROM json_each(?))`,
    ).all(quantize(vector), Math.min(ids.length, MAX_K), JSON.stringify(ids)) as {
      id: number;
      distance: number | null;
    }[];
    return new Map(rows.flatMap(({ id, distance }) => (distance === null ? [] : [[id, 1 - distance]])));
  }

  private readonly statements = new Map<string, Statement>();

  private prepare(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/** Chunk ids of the notes that are in a space. */
function members(spaceId: number): string {
  return `SELECT c.id FROM chunks c JOIN file_spaces fs ON fs.file_id = c.file_id WHERE fs.space_id = ${spaceId}`;
}

export function vectorMismatch(space: VectorSpace): PipelineError {
  return new PipelineError(
    'vector-mismatch',
    `The index holds vectors of the model ${space.model}; the question was embedded with another.`,
    { remedy: 'Run `pipeline index` to embed the notes with the configured model.' },
  );
}
