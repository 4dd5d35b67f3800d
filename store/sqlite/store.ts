/** The SQLite store: one file, one writer, readers that never wait; every note is written in one transaction. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TextQuery } from '../../lib/query/text-query.js';
import type { TextStats } from '../../lib/ranking/lexical.js';
import { PipelineError } from '../../runner/errors.js';
import type { FileStat, Hit, IndexedNote } from '../../runner/items.js';
import { chunkFromRow, type FileRow, fileFromRow, HIT_COLUMNS, type HitRow, noteFromRow } from '../rows.js';
import type {
  ChunkRecord,
  ChunkStore,
  FileRecord,
  LinkRecord,
  NoteListOptions,
  NoteRecord,
  StoreCapabilities,
  StoreCounts,
  TextMatchOptions,
  VectorMatchOptions,
  VectorSpace,
} from '../types.js';
import { countAll } from './counts.js';
import { type Db, openDatabase, storeError } from './database.js';
import { filterSql } from './filter.js';
import { LinkReader } from './links.js';
import { NoteWriter } from './note-writer.js';
import { FILE_COLUMNS, SCAN_COLUMNS } from './rows.js';
import { checkSchema, prepareSchema } from './schema.js';
import { Selections } from './selection.js';
import { TextIndex } from './text.js';
import { loadVectors, VectorIndex } from './vectors.js';

export interface SqliteStoreOptions {
  /** Absolute path; `:memory:` is allowed. */
  readonly file: string;
  readonly readOnly?: boolean;
  /** Loads sqlite-vec and says why it could not; tests give one that fails. */
  readonly loadVectors?: (db: Db) => string | undefined;
}

/** Meta key: vectors were left behind by a run without sqlite-vec and wait to be swept. */
const DIRTY = 'vectors-dirty';
const GENERATION = 'generation';
/** Meta key: notes written since the keyword index was last merged into one b-tree. */
const UNMERGED = 'unmerged';
/** Merging rewrites the whole keyword index (0.5 s for 50,700 chunks): worth it once this share of the notes changed. */
const MERGE_SHARE = 0.05;
/** Rows fetched at a time by `files()`. */
const PAGE = 1000;

/**
 * Opens the index. A writer creates the file and its tables; several processes may do so at once.
 * @throws {PipelineError} `store-missing`, `store-outdated` (readers), `store-corrupt`, `store-readonly`, `store-locked`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { file, readOnly = false } = options;
  const db = await openDatabase({ file, readOnly });
  try {
    const reason = (options.loadVectors ?? loadVectors)(db);
    if (readOnly) checkSchema(db, file);
    else prepareSchema(db);
    return new SqliteStore(db, file, {
      text: true,
      vector: reason === undefined,
      ...(reason === undefined ? {} : { vectorReason: reason }),
      writable: !readOnly,
    });
  } catch (error) {
    db.close();
    throw storeError(error, file);
  }
}

export class SqliteStore implements ChunkStore {
  readonly kind = 'sqlite';
  private readonly text: TextIndex;
  private readonly links: LinkReader;
  private readonly vectorIndex: VectorIndex | undefined;
  private readonly reading: (work: () => unknown) => unknown;
  private readonly inTransaction = new AsyncLocalStorage<true>();
  private made: NoteWriter | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  /** Notes changed in the open transaction. */
  private changes = 0;

  constructor(
    /** For `doctor`, which looks at the file itself. */
    readonly db: Db,
    readonly dbFile: string,
    readonly capabilities: StoreCapabilities,
  ) {
    this.links = new LinkReader(db);
    this.reading = db.transaction((work) => work());
    const selections = new Selections(db);
    this.text = new TextIndex(db, selections);
    this.vectorIndex = capabilities.vector ? new VectorIndex(db, selections) : undefined;
  }

  // --- index side ---------------------------------------------------------------------------------------------------

  async *files(): AsyncGenerator<FileRecord> {
    const page = this.db.prepare<[string, number], FileRow>(
      `SELECT ${SCAN_COLUMNS} FROM files f WHERE f.path > ? ORDER BY f.path LIMIT ?`,
    );
    for (let after = ''; ; ) {
      const rows = this.guard(() => page.all(after, PAGE));
      for (const row of rows) yield fileFromRow(row);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = last.path;
    }
  }

  async file(path: string): Promise<FileRecord | undefined> {
    const row = this.fileRow(path);
    return row && fileFromRow(row);
  }

  putNote(note: IndexedNote, space?: VectorSpace): Promise<void> {
    return this.write((writer) => {
      writer.put(note, space);
      this.changes++;
    });
  }

  async knownVectors(hashes: readonly string[], space: VectorSpace): Promise<ReadonlySet<string>> {
    const rows = this.rows<{ hash: string }>(
      `SELECT DISTINCT lower(hex(c.hash)) AS hash FROM json_each(?) wanted
       JOIN chunks c ON c.hash = unhex(wanted.value)
       JOIN file_spaces fs ON fs.file_id = c.file_id
       JOIN vector_spaces s ON s.id = fs.space_id AND s.fingerprint = ?`,
      JSON.stringify(hashes),
      space.fingerprint,
    );
    return new Set(this.vectorIndex ? rows.map((row) => row.hash) : []);
  }

  renameNote(from: string, to: string, stat: FileStat): Promise<void> {
    return this.write((writer) => {
      writer.rename(from, to, stat);
      this.changes++;
    });
  }

  touchNote(path: string, stat: FileStat): Promise<void> {
    return this.write((writer) => writer.touch(path, stat));
  }

  removeNote(path: string): Promise<void> {
    return this.write((writer) => {
      writer.remove(path);
      this.changes++;
    });
  }

  /** Callers queue: a second transaction in this process waits for the first. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.inTransaction.getStore())
      throw new PipelineError('store-nested', 'A transaction was opened inside another one.');
    const turn = this.queue.then(() => this.inTransaction.run(true, () => this.runTransaction(work)));
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async runTransaction<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.db.exec('BEGIN IMMEDIATE');
      this.changes = 0;
      const result = await work();
      if (this.changes > 0) this.count();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk has rolled back already.
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.made?.forget();
      throw storeError(error, this.dbFile);
    }
  }

  /** Tells other processes that notes changed, and how much has been written since the keyword index was last merged. */
  private count(): void {
    const add = this.db.prepare(
      `INSERT INTO model_meta(key, value) VALUES (?, ?)
       ON CONFLICT(key) DO UPDATE SET value = CAST(value + excluded.value AS TEXT)`,
    );
    add.run(GENERATION, '1');
    add.run(UNMERGED, String(this.changes));
  }

  async optimize(): Promise<void> {
    const unmerged = Number((await this.getMeta(UNMERGED)) ?? 0);
    if (unmerged === 0) return;
    await this.transaction(async () => {
      this.activateComplete();
      if (unmerged < this.one('SELECT count(*) AS n FROM files') * MERGE_SHARE) return;
      this.text.optimize();
      this.db.prepare('DELETE FROM model_meta WHERE key = ?').run(UNMERGED);
    });
    this.guard(() => {
      this.db.exec('PRAGMA optimize');
      this.db.pragma('wal_checkpoint(TRUNCATE)');
    });
  }

  /** A space becomes the one queries use when every chunk has a vector in it; its predecessor then goes. */
  private activateComplete(): void {
    if (!this.vectorIndex) return;
    const chunks = this.one('SELECT count(*) AS n FROM chunks');
    const complete = this.vectorIndex.spaces().find((s) => !s.active && this.vectorIndex?.count(s) === chunks);
    if (complete) this.vectorIndex.activate(complete);
  }

  async clear(): Promise<void> {
    await this.transaction(async () => {
      this.writer();
      this.changes++;
      this.text.clear();
      for (const space of this.vectorIndex?.spaces() ?? []) this.vectorIndex?.drop(space);
      for (const table of ['file_spaces', 'file_tags', 'links', 'chunks', 'files'])
        this.db.exec(`DELETE FROM ${table}`);
    });
  }

  // --- query side ---------------------------------------------------------------------------------------------------

  async matchText(query: TextQuery, options: TextMatchOptions): Promise<readonly Hit[]> {
    return this.snapshot(() => this.text.match(query, options));
  }

  async matchVector(vector: Float32Array, options: VectorMatchOptions): Promise<readonly Hit[]> {
    const { vectorIndex: vectors } = this;
    if (!vectors)
      throw new PipelineError('vector-missing', this.capabilities.vectorReason ?? 'There is no vector search here.', {
        remedy: 'Run `pipeline doctor`.',
      });
    return this.snapshot(() => vectors.match(vector, options));
  }

  async textStats(stems: readonly string[]): Promise<TextStats> {
    return this.guard(() => this.text.stats(stems));
  }

  async similarities(
    chunkIds: readonly number[],
    vector: Float32Array,
    fingerprint: string,
  ): Promise<ReadonlyMap<number, number>> {
    return this.snapshot(() => this.vectorIndex?.similarities(chunkIds, vector, fingerprint) ?? new Map());
  }

  async vectors(chunkIds: readonly number[], fingerprint: string): Promise<ReadonlyMap<number, Float32Array>> {
    return this.guard(() => this.vectorIndex?.stored(chunkIds, fingerprint) ?? new Map());
  }

  async chunk(id: number): Promise<ChunkRecord | undefined> {
    return (await this.chunkRows('c.id = ?', id))[0];
  }

  chunksOf(path: string): Promise<readonly ChunkRecord[]> {
    return this.chunkRows('f.path = ?', path);
  }

  private async chunkRows(where: string, value: string | number): Promise<readonly ChunkRecord[]> {
    const sql = `SELECT ${HIT_COLUMNS} FROM chunks c JOIN files f ON f.id = c.file_id WHERE ${where} ORDER BY c.idx`;
    return this.rows<HitRow>(sql, value).map(chunkFromRow);
  }

  async note(path: string): Promise<NoteRecord | undefined> {
    const row = this.fileRow(path);
    return row && noteFromRow(row);
  }

  async notes({ filter, limit, offset = 0, order = 'updated' }: NoteListOptions): Promise<readonly NoteRecord[]> {
    const where = filterSql(filter);
    const by = order === 'path' ? 'f.path' : 'f.updated DESC NULLS LAST, f.path';
    const sql = `SELECT ${FILE_COLUMNS} FROM files f WHERE ${where.sql} ORDER BY ${by} LIMIT ? OFFSET ?`;
    return this.rows<FileRow>(sql, ...where.params, limit, offset).map(noteFromRow);
  }

  async linksFrom(path: string): Promise<readonly LinkRecord[]> {
    return this.guard(() => this.links.from(path));
  }

  async linksTo(path: string): Promise<readonly LinkRecord[]> {
    const note = await this.note(path);
    return note ? this.guard(() => this.links.to(path, note.meta.aliases ?? [])) : [];
  }

  // --- meta ---------------------------------------------------------------------------------------------------------

  async counts(): Promise<StoreCounts> {
    return this.guard(() => countAll(this.db, this.vectorIndex));
  }

  async getMeta(key: string): Promise<string | undefined> {
    return this.row<{ value: string }>('SELECT value FROM model_meta WHERE key = ?', key)?.value;
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.write(() => {
      this.db
        .prepare(
          'INSERT INTO model_meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
        )
        .run(key, value);
    });
  }

  async activeSpace(): Promise<VectorSpace | undefined> {
    const space = this.guard(() => new VectorIndex(this.db).active());
    return space && { fingerprint: space.fingerprint, model: space.model, dimensions: space.dimensions };
  }

  async version(): Promise<string> {
    return (await this.getMeta(GENERATION)) ?? '0';
  }

  async close(): Promise<void> {
    await this.queue;
    if (!this.db.open) return;
    if (this.capabilities.writable && this.dbFile !== ':memory:')
      this.guard(() => this.db.pragma('wal_checkpoint(PASSIVE)'));
    this.db.close();
  }

  // --- helpers ------------------------------------------------------------------------------------------------------

  /** Runs inside the caller's transaction, or in one of its own. */
  private async write(work: (writer: NoteWriter) => void): Promise<void> {
    if (!this.capabilities.writable)
      throw new PipelineError('store-readonly', 'The index was opened for reading only.', { file: this.dbFile });
    const run = async (): Promise<void> => this.guard(() => work(this.writer()));
    await (this.inTransaction.getStore() ? run() : this.transaction(run));
  }

  private writer(): NoteWriter {
    if (this.made) return this.made;
    this.sweepOrMark();
    this.made = new NoteWriter(this.db, this.text, this.vectorIndex);
    return this.made;
  }

  private sweepOrMark(): void {
    const mark = this.row('SELECT 1 FROM model_meta WHERE key = ?', DIRTY);
    if (!this.vectorIndex) {
      if (this.one('SELECT count(*) AS n FROM vector_spaces') > 0)
        this.db.prepare(`INSERT OR REPLACE INTO model_meta(key, value) VALUES (?, '1')`).run(DIRTY);
      return;
    }
    if (!mark) return;
    for (const space of this.vectorIndex.spaces()) this.vectorIndex.sweep(space);
    this.db.prepare('DELETE FROM model_meta WHERE key = ?').run(DIRTY);
  }

  private fileRow(path: string): FileRow | undefined {
    return this.row<FileRow>(`SELECT ${FILE_COLUMNS} FROM files f WHERE f.path = ?`, path);
  }

  private one(sql: string): number {
    return this.row<{ n: number }>(sql)?.n ?? 0;
  }

  private rows<Row>(sql: string, ...params: (string | number)[]): Row[] {
    return this.guard(() => this.db.prepare<(string | number)[], Row>(sql).all(...params));
  }

  private row<Row>(sql: string, ...params: string[]): Row | undefined {
    return this.guard(() => this.db.prepare<string[], Row>(sql).get(...params));
  }

  /** All reads of `work` see one state. */
  private snapshot<T>(work: () => T): T {
    return this.guard(() => this.reading(work) as T);
  }

  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.dbFile);
    }
  }
}
