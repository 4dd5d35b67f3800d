/**
 * The PostgreSQL store: one schema a vault, one writer (an advisory lock), any number of readers. Behaves as the SQLite
 * store does; `test/contract` holds both to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, Pool, QueryResultRow } from 'pg';
import type { Stemmer } from '../../lib/query/stemmer.js';
import type { TextQuery } from '../../lib/query/text-query.js';
import type { TextStats } from '../../lib/ranking/lexical.js';
import { PipelineError } from '../../runner/errors.js';
import type { FileStat, Hit, IndexedNote } from '../../runner/items.js';
import { filterSql } from '../filter-sql.js';
import { chunkFromRow, type FileRow, fileFromRow, HIT_COLUMNS, type HitRow, noteFromRow } from '../rows.js';
import type {
  ChunkRecord,
  ChunkStore,
  ExclusiveOptions,
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
import { connect, mappedError, type PgClient, type PgPlace, rows, run } from './connection.js';
import { countAll } from './counts.js';
import { Params } from './filter.js';
import { stemmerOf } from './language.js';
import { linksFrom, linksTo } from './links.js';
import { listen } from './listener.js';
import { NearestSearch, similarities } from './nearest.js';
import type { NoteWriter } from './note-writer.js';
import { FILE_COLUMNS, SCAN_COLUMNS } from './rows.js';
import { TextIndex } from './text.js';
import {
  activateComplete,
  activeSpace,
  dropSpace,
  ensureIndex,
  GENERATION,
  indexState,
  readVectors,
  spaces,
} from './vectors.js';
import { WriterSession } from './writer-session.js';

const PAGE = 1000;

export class PgStore implements ChunkStore {
  readonly kind = 'postgres';
  readonly shown: string;
  private readonly text = new TextIndex();
  private readonly nearest: NearestSearch | undefined;
  private readonly inTransaction = new AsyncLocalStorage<true>();
  private readonly session: WriterSession | undefined;
  private readonly pool: Pool | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    readonly place: PgPlace,
    readonly capabilities: StoreCapabilities,
    /** Version of pgvector; undefined where it is not installed. */
    pgvector: string | undefined,
    connections: WriterSession | Pool,
  ) {
    this.shown = place.shown;
    this.nearest = pgvector === undefined ? undefined : new NearestSearch(pgvector);
    if (connections instanceof WriterSession) this.session = connections;
    else this.pool = connections;
  }

  // --- index side ---------------------------------------------------------------------------------------------------

  async *files(): AsyncGenerator<FileRecord> {
    for (let after = ''; ; ) {
      const page = await this.rows<FileRow>(
        `SELECT ${SCAN_COLUMNS} FROM files f WHERE f.path > $1 ORDER BY f.path LIMIT ${PAGE}`,
        [after],
      );
      for (const row of page) yield fileFromRow(row);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = last.path;
    }
  }

  async file(path: string): Promise<FileRecord | undefined> {
    const row = await this.fileRow(path);
    return row && fileFromRow(row);
  }

  putNote(note: IndexedNote, space?: VectorSpace): Promise<void> {
    return this.write((writer) => writer.put(note, space));
  }

  async knownVectors(hashes: readonly string[], space: VectorSpace): Promise<ReadonlySet<string>> {
    if (!this.capabilities.vector) return new Set();
    const found = await this.rows<{ hash: string }>(
      `SELECT DISTINCT encode(c.hash, 'hex') AS hash FROM chunks c
       JOIN file_spaces fs ON fs.file_id = c.file_id JOIN vector_spaces s ON s.id = fs.space_id AND s.fingerprint = $2
       WHERE c.hash = ANY(SELECT decode(h, 'hex') FROM unnest($1::text[]) AS given(h))`,
      [hashes, space.fingerprint],
    );
    return new Set(found.map((row) => row.hash));
  }

  renameNote(from: string, to: string, stat: FileStat): Promise<void> {
    return this.write((writer) => writer.rename(from, to, stat));
  }

  touchNote(path: string, stat: FileStat): Promise<void> {
    return this.write((writer) => writer.touch(path, stat));
  }

  removeNote(path: string): Promise<void> {
    return this.write((writer) => writer.remove(path));
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
    const session = this.writable();
    let begun: Awaited<ReturnType<WriterSession['begin']>> | undefined;
    try {
      begun = await session.begin();
      const { client } = begun;
      const result = await work();
      await client.query(`UPDATE model_meta SET value = (value::bigint + 1)::text WHERE key = '${GENERATION}'`);
      // Readers and block builders hear of it when, and only when, the transaction commits.
      await run(client, 'SELECT pg_notify($1, $2)', [channelOf(this.place), '']);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await begun?.client.query('ROLLBACK').catch(() => undefined);
      begun?.notes.forget();
      throw mappedError(error, this.place);
    } finally {
      session.end();
    }
  }

  exclusively<T>(options: ExclusiveOptions, work: () => Promise<T>): Promise<T> {
    return this.writable().exclusively(options, work);
  }

  async optimize(): Promise<void> {
    const session = this.writable();
    await this.transaction(async () => {
      if (!this.capabilities.vector) return;
      const client = await session.client();
      await activateComplete(client);
      (await session.notes()).forget();
      for (const space of await spaces(client)) await ensureIndex(client, space);
    });
    await this.guard(async () => {
      const client = await session.client();
      // Words of new chunks wait in a list that every search reads through: 4 ms a word after a bulk load.
      await client.query(`SELECT gin_clean_pending_list('chunks_fts')`);
      await client.query('ANALYZE files, chunks, links');
    });
  }

  async clear(): Promise<void> {
    const session = this.writable();
    await this.transaction(async () => {
      const client = await session.client();
      for (const space of await spaces(client)) await dropSpace(client, space);
      await client.query('TRUNCATE files, chunks, links, file_spaces, vector_spaces');
      (await session.notes()).forget();
    });
  }

  // --- query side ---------------------------------------------------------------------------------------------------

  async matchText(query: TextQuery, options: TextMatchOptions): Promise<readonly Hit[]> {
    return this.on(async (client) => this.text.match(client, (await indexState(client)).generation, query, options));
  }

  async matchVector(vector: Float32Array, options: VectorMatchOptions): Promise<readonly Hit[]> {
    const { nearest } = this;
    if (!nearest)
      throw new PipelineError('vector-missing', this.capabilities.vectorReason ?? 'There is no vector search here.', {
        remedy: 'Run `pipeline doctor`.',
      });
    return this.on(async (client) => nearest.match(client, await indexState(client), vector, options));
  }

  async stemmer(): Promise<Stemmer> {
    return this.on(stemmerOf);
  }

  async textStats(stems: readonly string[]): Promise<TextStats> {
    return this.on(async (client) => this.text.stats(client, (await indexState(client)).generation, stems));
  }

  async similarities(
    chunkIds: readonly number[],
    vector: Float32Array,
    fingerprint: string,
  ): Promise<ReadonlyMap<number, number>> {
    if (!this.capabilities.vector) return new Map();
    return this.on(async (client) =>
      similarities(client, (await indexState(client)).space, chunkIds, vector, fingerprint),
    );
  }

  async chunk(id: number): Promise<ChunkRecord | undefined> {
    return (await this.chunkRows('c.id = $1', id))[0];
  }

  chunksOf(path: string): Promise<readonly ChunkRecord[]> {
    return this.chunkRows('f.path = $1', path);
  }

  private async chunkRows(where: string, value: string | number): Promise<readonly ChunkRecord[]> {
    const sql = `SELECT ${HIT_COLUMNS} FROM chunks c JOIN files f ON f.id = c.file_id WHERE ${where} ORDER BY c.idx`;
    return (await this.rows<HitRow>(sql, [value])).map(chunkFromRow);
  }

  async note(path: string): Promise<NoteRecord | undefined> {
    const row = await this.fileRow(path);
    return row && noteFromRow(row);
  }

  async notes({ filter, limit, offset = 0, order = 'updated' }: NoteListOptions): Promise<readonly NoteRecord[]> {
    const params = new Params();
    const where = filterSql(filter, params) ?? 'true';
    const by = order === 'path' ? 'f.path' : 'f.updated DESC NULLS LAST, f.path';
    const sql = `SELECT ${FILE_COLUMNS} FROM files f WHERE ${where} ORDER BY ${by}
      LIMIT ${params.add(limit)} OFFSET ${params.add(offset)}`;
    return (await this.rows<FileRow>(sql, params.values)).map(noteFromRow);
  }

  async linksFrom(path: string): Promise<readonly LinkRecord[]> {
    return this.on((client) => linksFrom(client, path));
  }

  async linksTo(path: string): Promise<readonly LinkRecord[]> {
    const note = await this.note(path);
    return note ? this.on((client) => linksTo(client, path, note.meta.aliases ?? [])) : [];
  }

  // --- meta ---------------------------------------------------------------------------------------------------------

  async counts(): Promise<StoreCounts> {
    return this.on((client) => countAll(client, this.place, this.capabilities.vector));
  }

  async getMeta(key: string): Promise<string | undefined> {
    const [row] = await this.rows<{ value: string }>('SELECT value FROM model_meta WHERE key = $1', [key]);
    return row?.value;
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.write((_, client) =>
      run(client, 'INSERT INTO model_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value', [
        key,
        value,
      ]),
    );
  }

  async activeSpace(): Promise<VectorSpace | undefined> {
    const space = await this.on(activeSpace);
    return space && { fingerprint: space.fingerprint, model: space.model, dimensions: space.dimensions };
  }

  async version(): Promise<string> {
    return (await this.getMeta(GENERATION)) ?? '0';
  }

  onCommit(onCommit: () => void, signal: AbortSignal): Promise<void> {
    const { place } = this;
    return this.guard(() => listen({ connect: () => connect(place), channel: channelOf(place), onCommit, signal }));
  }

  /** Vectors of chunks as stored, for copies of the index. */
  async vectors(chunkIds: readonly number[], fingerprint: string): Promise<ReadonlyMap<number, Float32Array>> {
    return this.on(async (client) => {
      const space = (await spaces(client)).find((s) => s.fingerprint === fingerprint);
      return space ? readVectors(client, space, chunkIds) : new Map();
    });
  }

  async close(): Promise<void> {
    await this.queue;
    if (this.closed) return;
    this.closed = true;
    await this.session?.close();
    await this.pool?.end().catch(() => undefined);
  }

  // --- helpers ------------------------------------------------------------------------------------------------------

  /** Runs inside the caller's transaction, or in one of its own. */
  private async write(work: (notes: NoteWriter, client: Client) => Promise<void>): Promise<void> {
    const session = this.writable();
    const step = (): Promise<void> => this.guard(async () => work(await session.notes(), await session.client()));
    await (this.inTransaction.getStore() ? step() : this.transaction(step));
  }

  private writable(): WriterSession {
    if (this.session) return this.session;
    throw new PipelineError('store-readonly', `The index at ${this.place.shown} was opened for reading only.`, {
      remedy: 'Index with the writing role; see docs/team.md.',
    });
  }

  /** The writer reads what it has written so far; readers take a connection from the pool. */
  private async on<T>(work: (client: PgClient) => Promise<T>): Promise<T> {
    if (this.session) {
      const { session } = this;
      return this.guard(async () => work(await session.client()));
    }
    try {
      return await this.pooled(work);
    } catch (error) {
      // A question may be asked again: connections that lay idle while the server restarted are all found dead at once.
      if (!(error instanceof PipelineError) || error.code !== 'store-lost') throw error;
      return this.pooled(work);
    }
  }

  private pooled<T>(work: (client: PgClient) => Promise<T>): Promise<T> {
    return this.guard(async () => {
      const client = await this.pool?.connect();
      if (!client) throw new PipelineError('store-closed', 'The store was closed.');
      try {
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        // A connection that failed is not given to anyone else.
        client.release(true);
        throw error;
      }
    });
  }

  private rows<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.on((client) => rows<R>(client, sql, values));
  }

  private async fileRow(path: string): Promise<FileRow | undefined> {
    return (await this.rows<FileRow>(`SELECT ${FILE_COLUMNS} FROM files f WHERE f.path = $1`, [path]))[0];
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw mappedError(error, this.place);
    }
  }
}

/** The NOTIFY channel that tells of every commit to this vault's index. */
export function channelOf({ schema }: PgPlace): string {
  return `sluice_${schema}`;
}
