/**
 * The ledger in PostgreSQL, in the vault's schema beside the index but never emptied with it. Several people may write:
 * every change is one transaction of its own, and nothing waits for the index's writer.
 */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
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
import { connect, mappedError, openPool, type PgPlace, parsePlace, rows, run } from './connection.js';
import { Params } from './filter.js';
import { checkSchema, prepareSchema } from './schema.js';

export interface PgLedgerOptions {
  /** postgres://user@host/database?schema=name */
  readonly url: string;
  /** Readers never create, migrate or change anything. */
  readonly readOnly?: boolean;
}

const SELECT = `SELECT i.*, ARRAY(SELECT a.alias FROM ledger_aliases a WHERE a.item = i.id ORDER BY a.alias) AS aliases
  FROM ledger_items i`;

/** The item of the first alias that leads to one; an id is an alias too. */
const FIND = `${SELECT} WHERE i.id = (
  SELECT id FROM (
    SELECT w.place, 0 AS kind, k.id FROM unnest($1::text[]) WITH ORDINALITY AS w(value, place)
      JOIN ledger_items k ON k.id = w.value
    UNION ALL
    SELECT w.place, 1, a.item FROM unnest($1::text[]) WITH ORDINALITY AS w(value, place)
      JOIN ledger_aliases a ON a.alias = w.value
  ) AS found ORDER BY place, kind LIMIT 1)`;

const PUT_ITEM = `INSERT INTO ledger_items (${ITEM_COLUMNS.join(', ')})
  VALUES (${ITEM_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}) ON CONFLICT (id) DO UPDATE SET ${ITEM_UPDATE}`;

/** Rows fetched at a time by `list`: an article is a few kilobytes, so a page stays around one megabyte. */
const PAGE = 200;

/**
 * Opens the ledger of one vault; a writer creates or upgrades the tables.
 * @throws {PipelineError} as `openPgStore`, except that writers of the ledger do not exclude each other.
 */
export async function openPgLedger({ url, readOnly = false }: PgLedgerOptions): Promise<Ledger> {
  const place = parsePlace(url);
  const client = await connect(place);
  try {
    await (readOnly ? checkSchema(client, place) : prepareSchema(client, place));
  } catch (error) {
    throw mappedError(error, place);
  } finally {
    await client.end().catch(() => undefined);
  }
  return new PgLedger(openPool(place, readOnly), place);
}

class PgLedger implements Ledger {
  readonly #pool: Pool;
  readonly #place: PgPlace;

  constructor(pool: Pool, place: PgPlace) {
    this.#pool = pool;
    this.#place = place;
  }

  get(id: string): Promise<LedgerRow | undefined> {
    return this.#row(`${SELECT} WHERE i.id = $1`, id);
  }

  async find(aliases: readonly string[]): Promise<LedgerRow | undefined> {
    return aliases.length === 0 ? undefined : this.#row(FIND, aliases);
  }

  byNote(path: string): Promise<LedgerRow | undefined> {
    return this.#row(`${SELECT} WHERE i.note = $1 ORDER BY i.last_seen DESC LIMIT 1`, path);
  }

  put(row: LedgerRow): Promise<void> {
    return this.apply({ rows: [row] });
  }

  apply(change: LedgerChange): Promise<void> {
    return this.#transaction((client) => applyChange(client, change));
  }

  async *list(filter: LedgerFilter): AsyncGenerator<LedgerRow> {
    const params = new Params();
    const where = ledgerWhere(filter, {
      add: (value) => params.add(value),
      contains: (text, value) => `position(lower(${params.add(value)}::text) in lower(${text})) > 0`,
    });
    const limit = filter.limit === undefined ? '' : `LIMIT ${params.add(filter.limit)}`;
    const found = await this.#rows<{ id: string }>(
      `SELECT id FROM ledger_items ${where} ORDER BY last_seen DESC, id ${limit}`,
      params.values,
    );
    for (let at = 0; at < found.length; at += PAGE) {
      const page = found.slice(at, at + PAGE).map(({ id }) => id);
      const records = await this.#rows<ItemRecord & QueryResultRow>(`${SELECT} WHERE i.id = ANY($1::text[])`, [page]);
      const byId = new Map(records.map((record) => [record.id, record]));
      for (const id of page) {
        const record = byId.get(id);
        if (record) yield rowFromItem(record);
      }
    }
  }

  async lastWritten(path: string): Promise<string | undefined> {
    return (await this.#rows<{ text: string }>('SELECT text FROM ledger_written WHERE path = $1', [path]))[0]?.text;
  }

  setLastWritten(path: string, text: string | undefined): Promise<void> {
    return this.apply({ written: [{ path, text }] });
  }

  async *allWritten(): AsyncGenerator<WrittenText> {
    const page = (after: string): Promise<WrittenRow[]> =>
      this.#rows(
        `SELECT path, text FROM ledger_written WHERE path COLLATE "C" > $1 ORDER BY path COLLATE "C" LIMIT ${PAGE}`,
        [after],
      );
    for (let found = await page(''); found.length > 0; found = await page(found.at(-1)?.path ?? '')) yield* found;
  }

  async sourceState(name: string): Promise<SourceState | undefined> {
    const [row] = await this.#rows<{ state: string }>('SELECT state FROM ledger_sources WHERE name = $1', [name]);
    return row && (JSON.parse(row.state) as SourceState);
  }

  setSourceState(state: SourceState): Promise<void> {
    return this.#transaction((client) =>
      run(
        client,
        'INSERT INTO ledger_sources VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET state = excluded.state',
        [state.name, JSON.stringify(state)],
      ),
    );
  }

  async *sourceStates(): AsyncGenerator<SourceState> {
    const found = await this.#rows<{ state: string }>('SELECT state FROM ledger_sources ORDER BY name COLLATE "C"');
    for (const { state } of found) yield JSON.parse(state) as SourceState;
  }

  addLabel(label: Label): Promise<void> {
    return this.apply({ labels: [label] });
  }

  async *labels(): AsyncGenerator<Label> {
    const found = await this.#rows<{ item: string; at: string; kind: Label['kind']; domain: string | null }>(
      'SELECT item, at, kind, domain FROM ledger_labels ORDER BY seq',
    );
    for (const { item, at, kind, domain } of found)
      yield { id: item, at, kind, ...(domain === null ? {} : { domain }) };
  }

  async lastAction(): Promise<JournalEntry | undefined> {
    const [found] = await this.#rows<ActionRow>('SELECT seq, entry FROM ledger_journal ORDER BY seq DESC LIMIT 1');
    return found && actionFrom(found);
  }

  async *actions(): AsyncGenerator<JournalEntry> {
    const found = await this.#rows<ActionRow>('SELECT seq, entry FROM ledger_journal ORDER BY seq');
    for (const row of found) yield actionFrom(row);
  }

  retain({ outcome, rowsBefore, articlesBefore }: Retention): Promise<{ articles: number; rows: number }> {
    const those = 'outcome = ANY($1::text[]) AND last_seen < $2';
    return this.#transaction(async (client) => {
      const count = async (sql: string, before: string | undefined): Promise<number> =>
        before === undefined ? 0 : ((await client.query(sql, [outcome, before])).rowCount ?? 0);
      const gone = await count(`DELETE FROM ledger_items WHERE ${those}`, rowsBefore);
      const articles = await count(
        `UPDATE ledger_items SET article = NULL, trail = NULL
         WHERE ${those} AND (article IS NOT NULL OR trail IS NOT NULL)`,
        articlesBefore,
      );
      return { articles, rows: gone };
    });
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A connection that failed is not given to anyone else; the server rolls back what it held.
      client?.release(true);
      throw mappedError(error, this.#place);
    }
  }

  async #row(sql: string, value: unknown): Promise<LedgerRow | undefined> {
    const [record] = await this.#rows<ItemRecord & QueryResultRow>(sql, [value]);
    return record && rowFromItem(record);
  }

  async #rows<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return await rows<R>(this.#pool, sql, values);
    } catch (error) {
      throw mappedError(error, this.#place);
    }
  }
}

type WrittenRow = WrittenText & QueryResultRow;
type ActionRow = { readonly seq: string; readonly entry: string };

function actionFrom({ seq, entry }: ActionRow): JournalEntry {
  return { ...(JSON.parse(entry) as JournalEntry), seq: Number(seq) };
}

async function applyChange(client: PoolClient, change: LedgerChange): Promise<void> {
  for (const row of change.rows ?? []) {
    await run(client, PUT_ITEM, itemValues(row));
    if (row.aliases && row.aliases.length > 0)
      await run(
        client,
        `INSERT INTO ledger_aliases SELECT DISTINCT alias, $2 FROM unnest($1::text[]) AS given(alias)
         ON CONFLICT (alias) DO UPDATE SET item = excluded.item`,
        [row.aliases, row.id],
      );
  }
  for (const { id, at, kind } of change.removeLabels ?? [])
    await run(client, 'DELETE FROM ledger_labels WHERE item = $1 AND at = $2 AND kind = $3', [id, at, kind]);
  for (const { id, at, kind, domain } of change.labels ?? [])
    await run(
      client,
      'INSERT INTO ledger_labels (item, at, kind, domain) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [id, at, kind, domain ?? null],
    );
  for (const { path, text } of change.written ?? []) {
    if (text === undefined) await run(client, 'DELETE FROM ledger_written WHERE path = $1', [path]);
    else
      await run(
        client,
        'INSERT INTO ledger_written VALUES ($1, $2) ON CONFLICT (path) DO UPDATE SET text = excluded.text',
        [path, text],
      );
  }
  if (change.undone !== undefined) await run(client, 'DELETE FROM ledger_journal WHERE seq = $1', [change.undone]);
  if (change.journal) {
    const { journal } = change;
    await run(client, 'INSERT INTO ledger_journal (at, entry) VALUES ($1, $2)', [journal.at, JSON.stringify(journal)]);
    await run(client, 'DELETE FROM ledger_journal WHERE seq <= (SELECT max(seq) FROM ledger_journal) - $1::bigint', [
      JOURNAL_LIMIT,
    ]);
  }
}
