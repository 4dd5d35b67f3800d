/** Vector spaces in SQLite: one vec0 table each, int8, cosine; upkeep, reuse by chunk hash, and exact search. */
import * as sqliteVec from 'sqlite-vec';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { Hit } from '../../runner/items.js';
import { candidatesOf, freshFirst } from '../fresh-first.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from '../rows.js';
import type { VectorMatchOptions, VectorSpace } from '../types.js';
import { changeStamp } from './change-stamp.js';
import type { Db } from './database.js';
import { cosineTo, quantize, restore, turn } from './quantize.js';
import { type Selection, Selections } from './selection.js';
import { Statements } from './statements.js';
import { type Nearest, RANKED_AGAIN, type VectorBlock, VectorMatrix } from './vector-matrix.js';

/** A space as this database knows it. */
export interface StoredSpace extends VectorSpace {
  readonly id: number;
  readonly table: string;
  readonly active: boolean;
}

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

interface ScanRow {
  readonly id: number;
  readonly distance: number | null;
}

/** Bytes of vectors that a process keeps in memory; a larger space is left to sqlite-vec's scan. */
const IN_MEMORY = 512 * 2 ** 20;

/** A block as vec0 stores it. */
interface BlockRow {
  readonly rowids: Buffer;
  readonly validity: Buffer;
  readonly vectors: Buffer;
}

export class VectorIndex {
  /** The vectors in memory, as they were at one state of the database. */
  private loaded: { readonly stamp: string; readonly matrix: VectorMatrix | undefined } | undefined;
  /** The state that the last question met. */
  private asked: string | undefined;
  private readonly stamp: () => string;
  private readonly statements: Statements;

  constructor(
    private readonly db: Db,
    private readonly selections = new Selections(db),
    private readonly inMemory = IN_MEMORY,
  ) {
    this.stamp = changeStamp(db);
    this.statements = new Statements(db);
  }

  spaces(): readonly StoredSpace[] {
    const rows = this.statements
      .of('SELECT id, fingerprint, model, dimensions, table_name AS "table", active FROM vector_spaces ORDER BY id')
      .all() as (Omit<StoredSpace, 'active'> & { active: number })[];
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
    this.statements.of(`INSERT INTO ${table}(rowid, embedding) VALUES (?, vec_int8(?))`).run(BigInt(chunkId), vector);
  }

  remove({ table }: StoredSpace, chunkId: number): void {
    this.statements.of(`DELETE FROM ${table} WHERE rowid = ?`).run(BigInt(chunkId));
  }

  /** The stored bytes of a chunk's vector, for reuse by another chunk with the same content. */
  bytes({ table }: StoredSpace, chunkId: number): Buffer | undefined {
    const row = this.statements.of(`SELECT embedding FROM ${table} WHERE rowid = ?`).get(BigInt(chunkId));
    return (row as { embedding: Buffer } | undefined)?.embedding;
  }

  count({ table }: Pick<StoredSpace, 'table'>): number {
    const row = this.statements.of(`SELECT count(*) AS n FROM ${table}_rowids`).get();
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
    for (const orphan of orphans) this.statements.of(`DELETE FROM ${table} WHERE rowid = ?`).run(BigInt(orphan.id));
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

  match(vector: Float32Array, options: VectorMatchOptions): readonly Hit[] {
    const space = this.activeFor(options.fingerprint);
    if (!space) return [];
    const selection = this.selections.of(options.filter);
    const top = candidatesOf(options);
    const matrix = this.matrixFor(space);
    const nearest = matrix ? matrix.nearest(vector, top, selection) : this.scan(space, vector, top, selection);
    const cosines = new Map(nearest.map(({ id, cosine }) => [id, cosine]));
    const rows = this.statements
      .of(
        `SELECT ${HIT_COLUMNS} FROM json_each(?) n JOIN chunks c ON c.id = n.value JOIN files f ON f.id = c.file_id
       JOIN file_spaces fs ON fs.file_id = f.id AND fs.space_id = ? ORDER BY n.key`,
      )
      .all(JSON.stringify([...cosines.keys()]), space.id) as HitRow<number>[];
    const hits = rows.map((row, i) => {
      const cosine = cosines.get(row.chunk_id) ?? 0;
      return { ...hitFromRow(row), score: cosine, cosine, bm25Rank: null, vecRank: i + 1 };
    });
    return freshFirst(hits, options);
  }

  /** Vectors of chosen chunks, of length 1 and as exact as a byte a dimension is. */
  stored(ids: readonly number[], fingerprint: string): ReadonlyMap<number, Float32Array> {
    const space = this.spaces().find((s) => s.fingerprint === fingerprint);
    const found = new Map<number, Float32Array>();
    for (const id of space ? ids : []) {
      const bytes = space && this.bytes(space, id);
      if (bytes) found.set(id, restore(bytes));
    }
    return found;
  }

  /**
   * sqlite-vec's exact scan, for the first question and for a space too large to be kept in memory; the best are compared
   * again with the query in full precision, as in memory. vec0 takes a list of rows to look at, but none to leave out:
   * when a few are to be left out, as many more are asked for.
   */
  private scan(space: StoredSpace, vector: Float32Array, top: number, selection: Selection): Nearest[] {
    const { table } = space;
    const wanted = Math.min(top * RANKED_AGAIN, MAX_K);
    const overshoot = selection.kind === 'except' && wanted + selection.ids.length <= MAX_K;
    const left = new Set(overshoot ? selection.ids : []);
    const k = Math.min(wanted + left.size, MAX_K);
    const { sql, params } = overshoot || selection.kind === 'all' ? NO_CONDITION : rowList(selection);
    const rows = this.statements
      .of<ScanRow>(`SELECT rowid AS id, distance FROM ${table} WHERE embedding MATCH vec_int8(?) AND k = ? ${sql}`)
      .all(quantize(vector), k, ...params);
    const found = rows.flatMap(({ id, distance }) => (distance === null || left.has(id) ? [] : id)).slice(0, wanted);
    return [...this.cosines(space, found, vector)]
      .map(([id, cosine]) => ({ id, cosine }))
      .sort((a, b) => b.cosine - a.cosine || a.id - b.id)
      .slice(0, top);
  }

  /** Cosines of chosen chunks, each vector read by itself: 1 ms for a hundred. */
  private cosines(space: StoredSpace, ids: readonly number[], query: Float32Array): Map<number, number> {
    const turned = turn(query);
    const length = Math.hypot(...query) || 1;
    const found = new Map<number, number>();
    for (const id of ids) {
      const bytes = this.bytes(space, id);
      const cosine = bytes && cosineTo(turned, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
      if (cosine !== undefined) found.set(id, cosine / length);
    }
    return found;
  }

  /** Cosine of chosen chunks. */
  similarities(ids: readonly number[], vector: Float32Array, fingerprint: string): ReadonlyMap<number, number> {
    const space = this.activeFor(fingerprint);
    if (!space || ids.length === 0) return new Map();
    const matrix = this.loaded?.stamp === this.stampOf(space) ? this.loaded.matrix : undefined;
    return matrix ? matrix.similarities(ids, vector) : this.cosines(space, ids, vector);
  }

  private activeFor(fingerprint: string): StoredSpace | undefined {
    const space = this.active();
    if (space && space.fingerprint !== fingerprint) throw vectorMismatch(space);
    return space;
  }

  /**
   * The space in memory; undefined when it is too large for that, and for the first question to one state of the index:
   * a command or a hook asks one, which a scan answers in 50 ms where loading 50,700 vectors into a fresh process takes
   * 170.
   */
  private matrixFor(space: StoredSpace): VectorMatrix | undefined {
    const stamp = this.stampOf(space);
    const before = this.asked;
    this.asked = stamp;
    if (before !== stamp) return undefined;
    if (this.loaded?.stamp !== stamp) this.loaded = { stamp, matrix: this.load(space) };
    return this.loaded.matrix;
  }

  private stampOf({ table }: StoredSpace): string {
    return `${table} ${this.stamp()}`;
  }

  /**
   * Reads the blocks of vec0's own table: 20 ms for 50,700 vectors, which through the virtual table take 400, and a
   * single scan of sqlite-vec 60. A block that is not as vec0 0.1 writes it leaves the space to that scan.
   */
  private load({ table, dimensions }: StoredSpace): VectorMatrix | undefined {
    const count = this.count({ table });
    if (count * dimensions > this.inMemory) return undefined;
    const blocks: VectorBlock[] = [];
    const rows = this.statements.of<BlockRow>(
      `SELECT c.rowids, c.validity, v.vectors FROM ${table}_chunks c
       JOIN ${table}_vector_chunks00 v ON v.rowid = c.chunk_id ORDER BY c.chunk_id`,
    );
    for (const { rowids, validity, vectors } of rows.iterate()) {
      const places = rowids.length / 8;
      if (vectors.length !== places * dimensions || validity.length * 8 !== places) return undefined;
      blocks.push({
        ids: halves(rowids),
        used: validity,
        vectors: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length),
      });
    }
    return new VectorMatrix(blocks, count, dimensions);
  }
}

/** A copy, because a buffer of SQLite's need not lie on a multiple of four. */
function halves(bytes: Buffer): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

const NO_CONDITION = { sql: '', params: [] };

/** The rows vec0 may look at, in the one form it knows. */
function rowList({ kind, json }: Exclude<Selection, { kind: 'all' }>): { sql: string; params: readonly string[] } {
  const list = 'SELECT value FROM json_each(?)';
  const rows = kind === 'only' ? list : `SELECT id FROM chunks WHERE id NOT IN (${list})`;
  return { sql: `AND rowid IN (${rows})`, params: [json] };
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
