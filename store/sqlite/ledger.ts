/** The ledger in SQLite, in a database file of its own beside the index. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type {
  JournalEntry,
  Label,
  Ledger,
  LedgerChange,
  LedgerFilter,
  LedgerRow,
  Retention,
  SourceState,
  WrittenText,
} from '../ledger.js';
import { ITEM_COLUMNS, ITEM_UPDATE, type ItemRecord, itemValues, ledgerWhere, rowFromItem } from '../ledger-sql.js';
import { JOURNAL_LIMIT } from '../memory-ledger.js';
import { LEDGER_MIGRATIONS } from './ledger-schema.js';

export interface LedgerOpenOptions {
  /** Absolute path; its folder must exist. `:memory:` is allowed. */
  readonly file: string;
  /** Readers never create, migrate or change anything. */
  readonly readOnly?: boolean;
}

const SELECT =
  'SELECT *, (SELECT json_group_array(alias ORDER BY alias) FROM aliases WHERE item = items.id) AS aliases FROM items';

/** The item of the first alias that leads to one; an id is an alias too. */
const FIND = `${SELECT} WHERE id = (
  SELECT id FROM (
    SELECT wanted.key AS place, 0 AS kind, items.id AS id FROM json_each(?) AS wanted JOIN items ON items.id = wanted.value
    UNION ALL
    SELECT wanted.key, 1, aliases.item FROM json_each(?) AS wanted JOIN aliases ON aliases.alias = wanted.value
  ) ORDER BY place, kind LIMIT 1)`;

const PUT_ITEM = `INSERT INTO items (${ITEM_COLUMNS.join(', ')}) VALUES (${ITEM_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${ITEM_UPDATE}`;

/** Rows fetched at a time by `list`: an article is a few kilobytes, so a page stays around one megabyte. */
const PAGE = 200;

/** Opens (and, when writable, creates and migrates) the ledger. Throws `PipelineError`: `ledger-locked`, `ledger-corrupt`, `ledger-newer`, `ledger-missing`. */
export function openLedger(options: LedgerOpenOptions): Ledger {
  const { file, readOnly = false } = options;
  if (readOnly && file !== ':memory:' && !existsSync(file)) throw missing(file);
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: readOnly, fileMustExist: readOnly, timeout: 5000 });
    db.pragma('foreign_keys = ON');
    if (!readOnly) {
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = NORMAL');
      // 16 MB between two checkpoints, each of which waits for the disk: 0.9 s instead of 1.3 s for 1,000 articles.
      db.pragma('wal_autocheckpoint = 4000');
      migrate(db);
    }
    return new SqliteLedger(db, file);
  } catch (error) {
    db?.close();
    throw explain(error, file);
  }
}

function migrate(db: Database.Database): void {
  const step = db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > LEDGER_MIGRATIONS.length)
      throw new PipelineError('ledger-newer', `The ledger was written by a newer version (format ${version}).`, {
        remedy: 'Update this program; the ledger is not changed.',
      });
    for (const sql of LEDGER_MIGRATIONS.slice(version)) db.exec(sql);
    if (version < LEDGER_MIGRATIONS.length) db.pragma(`user_version = ${LEDGER_MIGRATIONS.length}`);
  });
  // Immediate, so that two processes that open a cold ledger at once do not both migrate it.
  step.immediate();
}

function missing(file: string, cause?: unknown): PipelineError {
  return new PipelineError('ledger-missing', 'There is no ledger here yet.', {
    file,
    cause,
    remedy: 'Run `pipeline run ingest` first, or check --vault and --db.',
  });
}

function explain(error: unknown, file: string): unknown {
  if (error instanceof PipelineError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string' || !code.startsWith('SQLITE')) return error;
  const details = { file, cause: error };
  if (code.startsWith('SQLITE_BUSY'))
    return new PipelineError('ledger-locked', 'Another process is writing the ledger.', {
      ...details,
      transient: true,
      remedy: 'Wait for the other run to end.',
    });
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB')
    return new PipelineError('ledger-corrupt', `The ledger cannot be read: ${messageOf(error)}.`, {
      ...details,
      fatal: true,
      remedy: 'Move the file away and restore a backup; without one a new, empty ledger is made on the next run.',
    });
  if (code === 'SQLITE_CANTOPEN') return missing(file, error);
  if (code === 'SQLITE_FULL')
    return new PipelineError('disk-full', 'The disk is full; the ledger was not changed.', { ...details, fatal: true });
  if (code === 'SQLITE_READONLY')
    return new PipelineError('ledger-readonly', 'The ledger is open for reading only.', details);
  return new PipelineError('ledger-failed', messageOf(error), details);
}

class SqliteLedger implements Ledger {
  readonly #db: Database.Database;
  readonly #file: string;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(db: Database.Database, file: string) {
    this.#db = db;
    this.#file = file;
  }

  async get(id: string): Promise<LedgerRow | undefined> {
    return this.#row(`${SELECT} WHERE id = ?`, id);
  }

  async find(aliases: readonly string[]): Promise<LedgerRow | undefined> {
    if (aliases.length === 0) return undefined;
    const wanted = JSON.stringify(aliases);
    return this.#row(FIND, wanted, wanted);
  }

  async byNote(path: string): Promise<LedgerRow | undefined> {
    return this.#row(`${SELECT} WHERE note = ? ORDER BY last_seen DESC LIMIT 1`, path);
  }

  async put(row: LedgerRow): Promise<void> {
    await this.apply({ rows: [row] });
  }

  async apply(change: LedgerChange): Promise<void> {
    // What a person decided is flushed at once. What intake recorded may be lost in a power cut, newest first and never
    // in part: the notes are on disk by then, and the next run recognises them. A flush for each of a thousand items
    // was a tenth of an intake's time.
    const isDecision = change.journal !== undefined || change.undone !== undefined || change.labels !== undefined;
    if (isDecision) this.#db.pragma('synchronous = FULL');
    try {
      this.#try(() => this.#db.transaction(() => this.#apply(change)).immediate());
    } finally {
      if (isDecision) this.#db.pragma('synchronous = NORMAL');
    }
  }

  async *list(filter: LedgerFilter): AsyncGenerator<LedgerRow> {
    const { where, values } = whereOf(filter);
    const order = `ORDER BY last_seen DESC, id LIMIT ${filter.limit ?? -1}`;
    const ids = this.#try(
      () =>
        this.#db
          .prepare(`SELECT id FROM items ${where} ${order}`)
          .pluck()
          .all(...values) as string[],
    );
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = ids.slice(at, at + PAGE);
      const records = this.#list<ItemRecord>(
        `${SELECT} WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(page),
      );
      const byId = new Map(records.map((r) => [r.id, r]));
      for (const id of page) {
        const record = byId.get(id);
        if (record) yield rowFromItem(record);
      }
    }
  }

  async lastWritten(path: string): Promise<string | undefined> {
    return this.#value('SELECT text FROM written WHERE path = ?', path);
  }

  async setLastWritten(path: string, text: string | undefined): Promise<void> {
    await this.apply({ written: [{ path, text }] });
  }

  async *allWritten(): AsyncGenerator<WrittenText> {
    const page = (after: string): WrittenText[] =>
      this.#list(`SELECT path, text FROM written WHERE path > ? ORDER BY path LIMIT ${PAGE}`, after);
    for (let found = page(''); found.length > 0; found = page(found.at(-1)?.path ?? '')) yield* found;
  }

  async sourceState(name: string): Promise<SourceState | undefined> {
    const state = this.#value('SELECT state FROM sources WHERE name = ?', name);
    return state === undefined ? undefined : (JSON.parse(state) as SourceState);
  }

  async setSourceState(state: SourceState): Promise<void> {
    this.#try(() => this.#run('INSERT OR REPLACE INTO sources VALUES (?, ?)', state.name, JSON.stringify(state)));
  }

  async *sourceStates(): AsyncGenerator<SourceState> {
    for (const { state } of this.#list<{ state: string }>('SELECT state FROM sources ORDER BY name'))
      yield JSON.parse(state) as SourceState;
  }

  async addLabel(label: Label): Promise<void> {
    await this.apply({ labels: [label] });
  }

  async *labels(): AsyncGenerator<Label> {
    type Row = { item: string; at: string; kind: Label['kind']; domain: string | null };
    const rows = this.#list<Row>('SELECT item, at, kind, domain FROM labels ORDER BY seq');
    for (const { item, at, kind, domain } of rows) yield { id: item, at, kind, ...(domain === null ? {} : { domain }) };
  }

  async lastAction(): Promise<JournalEntry | undefined> {
    const [found] = this.#list<ActionRow>('SELECT seq, entry FROM journal ORDER BY seq DESC LIMIT 1');
    return found && actionFrom(found);
  }

  async *actions(): AsyncGenerator<JournalEntry> {
    for (const row of this.#list<ActionRow>('SELECT seq, entry FROM journal ORDER BY seq')) yield actionFrom(row);
  }

  async retain(retention: Retention): Promise<{ articles: number; rows: number }> {
    const outcomes = JSON.stringify(retention.outcome);
    const those = 'outcome IN (SELECT value FROM json_each(?)) AND last_seen < ?';
    const work = this.#db.transaction(() => {
      const { rowsBefore, articlesBefore } = retention;
      const rows = rowsBefore ? this.#run(`DELETE FROM items WHERE ${those}`, outcomes, rowsBefore) : 0;
      const articles = articlesBefore
        ? this.#run(
            `UPDATE items SET article = NULL, trail = NULL WHERE ${those} AND (article IS NOT NULL OR trail IS NOT NULL)`,
            outcomes,
            articlesBefore,
          )
        : 0;
      return { articles, rows };
    });
    return this.#try(() => work.immediate());
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #apply(change: LedgerChange): void {
    for (const row of change.rows ?? []) this.#putRow(row);
    for (const label of change.removeLabels ?? [])
      this.#run('DELETE FROM labels WHERE item = ? AND at = ? AND kind = ?', label.id, label.at, label.kind);
    for (const { id, at, kind, domain } of change.labels ?? [])
      this.#run(
        'INSERT OR IGNORE INTO labels (item, at, kind, domain) VALUES (?, ?, ?, ?)',
        id,
        at,
        kind,
        domain ?? null,
      );
    for (const { path, text } of change.written ?? []) {
      if (text === undefined) this.#run('DELETE FROM written WHERE path = ?', path);
      else this.#run('INSERT OR REPLACE INTO written VALUES (?, ?)', path, text);
    }
    if (change.undone !== undefined) this.#run('DELETE FROM journal WHERE seq = ?', change.undone);
    if (change.journal) {
      this.#run('INSERT INTO journal (at, entry) VALUES (?, ?)', change.journal.at, JSON.stringify(change.journal));
      this.#run('DELETE FROM journal WHERE seq <= (SELECT max(seq) FROM journal) - ?', JOURNAL_LIMIT);
    }
  }

  #putRow(row: LedgerRow): void {
    this.#run(PUT_ITEM, ...itemValues(row));
    for (const alias of row.aliases ?? []) this.#run('INSERT OR REPLACE INTO aliases VALUES (?, ?)', alias, row.id);
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: unknown[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  #list<R>(sql: string, ...values: unknown[]): R[] {
    return this.#try(() => this.#prepare(sql).all(...values) as R[]);
  }

  #row(sql: string, ...values: unknown[]): LedgerRow | undefined {
    const record = this.#try(() => this.#prepare(sql).get(...values) as ItemRecord | undefined);
    return record && rowFromItem(record);
  }

  #value(sql: string, ...values: unknown[]): string | undefined {
    return this.#try(
      () =>
        this.#prepare(sql)
          .pluck()
          .get(...values) as string | undefined,
    );
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explain(error, this.#file);
    }
  }
}

interface ActionRow {
  readonly seq: number;
  readonly entry: string;
}

function actionFrom({ seq, entry }: ActionRow): JournalEntry {
  return { ...(JSON.parse(entry) as JournalEntry), seq };
}

function whereOf(filter: LedgerFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const add = (value: string | number): string => {
    values.push(value);
    return '?';
  };
  // instr, not LIKE. lower() folds ASCII only, so the other side is folded alike.
  const contains = (text: string, value: string): string => `instr(lower(${text}), lower(${add(value)})) > 0`;
  return { where: ledgerWhere(filter, { add, contains }), values };
}
