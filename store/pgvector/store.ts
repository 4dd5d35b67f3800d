/**
 * The PostgreSQL store: one schema a vault, one writer (an advisory lock), any number of readers. Behaves as the SQLite
 * store does; `test/contract` holds both to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, Pool, QueryResultRow } from 'pg';
import { linkKey, resolveLink } from '../../lib/links/resolve.js';
import { DEFAULT_SENSITIVITY, noneOfEach } from '../../lib/query/filter.js';
import type { TextQuery } from '../../lib/query/text-query.js';
import type { TextStats } from '../../lib/ranking/lexical.js';
import { PipelineError } from '../../runner/errors.js';
import type { FileStat, Hit, IndexedNote } from '../../runner/items.js';
import { filterSql } from '../filter-sql.js';
import {
  chunkFromRow,
  type FileRow,
  fileFromRow,
  HIT_COLUMNS,
  type HitRow,
  type LinkRow,
  linkFromRow,
  noteFromRow,
} from '../rows.js';
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
import { mappedError, type PgClient, type PgPlace, rows, run } from './connection.js';
import { Params } from './filter.js';
import { NoteWriter } from './note-writer.js';
import { FILE_COLUMNS, SCAN_COLUMNS } from './rows.js';
import { TextIndex } from './text.js';
import {
  activateComplete,
  activeSpace,
  countVectors,
  dropSpace,
  ensureIndex,
  matchVector,
  readVectors,
  similarities,
  spaces,
} from './vectors.js';

const GENERATION = 'generation';
const PAGE = 1000;

export class PgStore implements ChunkStore {
  readonly kind = 'postgres';
  private readonly text = new TextIndex();
  private readonly inTransaction = new AsyncLocalStorage<true>();
  private readonly noteWriter: NoteWriter | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    readonly place: PgPlace,
    readonly capabilities: StoreCapabilities,
    private readonly client: Client | undefined,
    private readonly pool: Pool | undefined,
  ) {
    this.noteWriter = client && new NoteWriter(client, capabilities.vector);
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
    const client = this.writable();
    try {
      await client.query('BEGIN');
      const result = await work();
      await client.query(`UPDATE model_meta SET value = (value::bigint + 1)::text WHERE key = '${GENERATION}'`);
      // Readers and block builders hear of it when, and only when, the transaction commits.
      await run(client, 'SELECT pg_notify($1, $2)', [channelOf(this.place), '']);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      this.noteWriter?.forget();
      throw mappedError(error, this.place);
    }
  }

  async optimize(): Promise<void> {
    const client = this.writable();
    await this.transaction(async () => {
      if (!this.capabilities.vector) return;
      await activateComplete(client);
      this.noteWriter?.forget();
      for (const space of await spaces(client)) await ensureIndex(client, space);
    });
    await this.guard(() => client.query('ANALYZE files, chunks, links'));
  }

  async clear(): Promise<void> {
    const client = this.writable();
    await this.transaction(async () => {
      for (const space of await spaces(client)) await dropSpace(client, space);
      await client.query('TRUNCATE files, chunks, links, file_spaces, vector_spaces');
      this.noteWriter?.forget();
    });
  }

  // --- query side ---------------------------------------------------------------------------------------------------

  async matchText(query: TextQuery, options: TextMatchOptions): Promise<readonly Hit[]> {
    const generation = await this.version();
    return this.on((client) => this.text.match(client, generation, query, options));
  }

  async matchVector(vector: Float32Array, options: VectorMatchOptions): Promise<readonly Hit[]> {
    if (!this.capabilities.vector)
      throw new PipelineError('vector-missing', this.capabilities.vectorReason ?? 'There is no vector search here.', {
        remedy: 'Run `pipeline doctor`.',
      });
    return this.on((client) => matchVector(client, vector, options));
  }

  async textStats(stems: readonly string[]): Promise<TextStats> {
    const generation = await this.version();
    return this.on((client) => this.text.stats(client, generation, stems));
  }

  async similarities(
    chunkIds: readonly number[],
    vector: Float32Array,
    fingerprint: string,
  ): Promise<ReadonlyMap<number, number>> {
    if (!this.capabilities.vector) return new Map();
    return this.on((client) => similarities(client, chunkIds, vector, fingerprint));
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
    const found = await this.linkRows('f.path = $1', path);
    const named = await this.named(found.map((row) => row.key));
    return found.map((row) => linkFromRow(row, resolveLink(row.target, path, named.get(row.key) ?? [])));
  }

  async linksTo(path: string): Promise<readonly LinkRecord[]> {
    const note = await this.note(path);
    if (!note) return [];
    const keys = [linkKey(path), ...(note.meta.aliases?.map(linkKey) ?? [])];
    const found = await this.linkRows('l.key = ANY($1::text[])', keys);
    const named = await this.named(keys);
    return found
      .filter((row) => resolveLink(row.target, row.from, named.get(row.key) ?? []) === path)
      .map((row) => linkFromRow(row, path));
  }

  private linkRows(where: string, value: unknown): Promise<LinkRow[]> {
    return this.rows<LinkRow>(
      `SELECT f.path AS "from", l.key, l.target, l.heading, l.alias, l.embed, l.line
       FROM links l JOIN files f ON f.id = l.file_id WHERE ${where} ORDER BY f.path, l.line, l.id`,
      [value],
    );
  }

  /** Paths of the notes with each link key, by file name or else by alias. */
  private async named(keys: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    const found = await this.rows<{ key: string; path: string; by_name: boolean }>(
      `SELECT g.key, f.path, f.name_key = g.key AS by_name FROM unnest($1::text[]) AS g(key)
       JOIN files f ON f.name_key = g.key OR f.alias_keys @> ARRAY[g.key] GROUP BY g.key, f.path, f.name_key`,
      [[...new Set(keys)]],
    );
    const paths = new Map<string, string[]>();
    for (const key of new Set(keys)) {
      const all = found.filter((row) => row.key === key);
      const byName = all.filter((row) => row.by_name);
      paths.set(
        key,
        (byName.length > 0 ? byName : all).map((row) => row.path),
      );
    }
    return paths;
  }

  // --- meta ---------------------------------------------------------------------------------------------------------

  async counts(): Promise<StoreCounts> {
    const [row] = await this.rows<Record<'notes' | 'chunks' | 'links' | 'bytes', string>>(
      `SELECT (SELECT count(*) FROM files) AS notes, (SELECT count(*) FROM chunks) AS chunks,
         (SELECT count(*) FROM links) AS links,
         (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
          WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r') AS bytes`,
      [`"${this.place.schema}"`],
    );
    const vectors = this.capabilities.vector
      ? await this.on(async (client) => {
          const space = await activeSpace(client);
          return space ? countVectors(client, space) : 0;
        })
      : 0;
    const [notes, chunks, links, bytes] = [row?.notes, row?.chunks, row?.links, row?.bytes].map(Number);
    const classes = await this.rows<{ name: string; n: string }>(
      'SELECT coalesce(sensitivity, $1) AS name, count(*) AS n FROM files GROUP BY 1',
      [DEFAULT_SENSITIVITY],
    );
    const sensitivity = { ...noneOfEach(), ...Object.fromEntries(classes.map(({ name, n }) => [name, Number(n)])) };
    return { notes: notes ?? 0, chunks: chunks ?? 0, vectors, links: links ?? 0, bytes: bytes ?? 0, sensitivity };
  }

  async getMeta(key: string): Promise<string | undefined> {
    const [row] = await this.rows<{ value: string }>('SELECT value FROM model_meta WHERE key = $1', [key]);
    return row?.value;
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.write(() =>
      run(
        this.writable(),
        'INSERT INTO model_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, value],
      ),
    );
  }

  async activeSpace(): Promise<VectorSpace | undefined> {
    const space = await this.on(activeSpace);
    return space && { fingerprint: space.fingerprint, model: space.model, dimensions: space.dimensions };
  }

  async version(): Promise<string> {
    return (await this.getMeta(GENERATION)) ?? '0';
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
    await this.client?.end().catch(() => undefined);
    await this.pool?.end().catch(() => undefined);
  }

  // --- helpers ------------------------------------------------------------------------------------------------------

  /** Runs inside the caller's transaction, or in one of its own. */
  private async write(work: (writer: NoteWriter) => Promise<void>): Promise<void> {
    const writer = this.noteWriter;
    this.writable();
    if (!writer) return;
    const step = (): Promise<void> => this.guard(() => work(writer));
    await (this.inTransaction.getStore() ? step() : this.transaction(step));
  }

  private writable(): Client {
    if (this.client) return this.client;
    throw new PipelineError('store-readonly', `The index at ${this.place.shown} was opened for reading only.`, {
      remedy: 'Index with the writing role; see docs/team.md.',
    });
  }

  /** The writer reads what it has written so far; readers take a connection from the pool. */
  private async on<T>(work: (client: PgClient) => Promise<T>): Promise<T> {
    return this.guard(async () => {
      if (this.client) return work(this.client);
      const client = await this.pool?.connect();
      if (!client) throw new PipelineError('store-closed', 'The store was closed.');
      try {
        return await work(client);
      } finally {
        client.release();
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
