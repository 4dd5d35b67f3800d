/** Looks at the health of an index on a server, for `pipeline doctor`; reads only, but for the repairs at the end. */
import type { Client } from 'pg';
import { connect, mappedError, type PgPlace, parsePlace, rows } from './connection.js';
import { isCurrent, loadVectors } from './schema.js';
import { ensureIndex, indexOf, isIndexable, type StoredSpace, spaces, tableOf } from './vectors.js';

export interface TableHealth {
  readonly name: string;
  readonly live: number;
  /** Rows that were changed or deleted and still take room. */
  readonly dead: number;
  readonly bytes: number;
  /** False when PostgreSQL has never counted what is in it, and plans without knowing. */
  readonly analyzed: boolean;
}

export interface ServerInspection {
  /** Host, database and schema; never a password. */
  readonly shown: string;
  readonly postgres: string;
  readonly user: string;
  readonly encrypted: boolean;
  readonly pgvector: { readonly installed: string | undefined; readonly available: string | undefined };
  readonly connections: { readonly used: number; readonly max: number };
  /** Sessions that hold a transaction open without doing anything, in seconds: what they may see cannot be cleaned up. */
  readonly idle: readonly { readonly pid: number; readonly name: string; readonly seconds: number }[];
  /** Everything below the server itself; undefined while there is no index. */
  readonly index: IndexInspection | undefined;
}

export interface IndexInspection {
  readonly mayWrite: boolean;
  /** Notes whose chunks are not the number they should be. */
  readonly broken: number;
  /** Notes that count as having vectors, and lack some. */
  readonly unvectored: number;
  /** Names of vector indexes that should be there and are not, or were left half built. */
  readonly unindexed: readonly string[];
  readonly tables: readonly TableHealth[];
  /** Who writes just now. */
  readonly writer: string | undefined;
}

/** @throws {PipelineError} as `openPgStore`, when the server cannot be asked. */
export async function inspectServer(url: string): Promise<ServerInspection> {
  return withClient(url, async (client, place) => {
    const [about] = await rows<{ postgres: string; user: string; encrypted: boolean; used: string; max: string }>(
      client,
      `SELECT current_setting('server_version') AS postgres, current_user AS user,
         coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections') AS max`,
    );
    const [available] = await rows<{ version: string | null }>(
      client,
      `SELECT default_version AS version FROM pg_available_extensions WHERE name = 'vector'`,
    );
    const installed = await loadVectors(client, false);
    return {
      shown: place.shown,
      postgres: about?.postgres ?? '',
      user: about?.user ?? '',
      encrypted: about?.encrypted ?? false,
      pgvector: { installed, available: available?.version ?? undefined },
      connections: { used: Number(about?.used ?? 0), max: Number(about?.max ?? 0) },
      idle: await idleTransactions(client),
      index: (await isCurrent(client, place)) ? await inspectIndex(client, place, installed !== undefined) : undefined,
    };
  });
}

async function idleTransactions(client: Client): Promise<ServerInspection['idle']> {
  return rows(
    client,
    `SELECT pid, coalesce(nullif(application_name, ''), usename, '?') AS name,
       extract(epoch FROM now() - state_change)::int AS seconds
     FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database() ORDER BY 3 DESC`,
  );
}

async function inspectIndex(client: Client, place: PgPlace, hasVectors: boolean): Promise<IndexInspection> {
  const { schema } = place;
  const count = async (sql: string): Promise<number> => Number((await rows<{ n: string }>(client, sql))[0]?.n ?? 0);
  const all = hasVectors ? await spaces(client) : [];
  let unvectored = 0;
  for (const space of all)
    unvectored += await count(
      `SELECT count(DISTINCT c.file_id) AS n FROM file_spaces fs JOIN chunks c ON c.file_id = fs.file_id
       LEFT JOIN ${tableOf(space)} v ON v.chunk_id = c.id WHERE fs.space_id = ${space.id} AND v.chunk_id IS NULL`,
    );
  const [right] = await rows<{ ok: boolean }>(
    client,
    `SELECT has_table_privilege('files', 'INSERT') AND has_schema_privilege($1, 'CREATE') AS ok`,
    [schema],
  );
  const [writer] = await rows<{ name: string; pid: number }>(
    client,
    `SELECT a.application_name AS name, a.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
       AND l.objid::bigint = (hashtext($1)::bigint & 4294967295)`,
    [`sluice-writer:${schema}`],
  );
  return {
    mayWrite: right?.ok ?? false,
    broken: await count(
      `SELECT count(*) AS n FROM files f LEFT JOIN (SELECT file_id, count(*) AS k FROM chunks GROUP BY 1) c
       ON c.file_id = f.id WHERE f.chunks <> coalesce(c.k, 0)`,
    ),
    unvectored,
    unindexed: await unindexedSpaces(client, schema, all),
    tables: await tableHealth(client, schema),
    writer: writer && `${writer.name} (backend ${writer.pid})`,
  };
}

/** Spaces whose graph is missing; one that holds nothing needs none, and a large one can have none. */
async function unindexedSpaces(client: Client, schema: string, all: readonly StoredSpace[]): Promise<string[]> {
  const valid = await rows<{ name: string }>(
    client,
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = $1::regnamespace AND i.indisvalid`,
    [`"${schema}"`],
  );
  const names = new Set(valid.map((row) => row.name));
  const missing: string[] = [];
  for (const space of all) {
    if (names.has(indexOf(space)) || !isIndexable(space)) continue;
    if ((await rows(client, `SELECT 1 FROM ${tableOf(space)} LIMIT 1`)).length > 0) missing.push(indexOf(space));
  }
  return missing;
}

async function tableHealth(client: Client, schema: string): Promise<readonly TableHealth[]> {
  const found = await rows<{ name: string; live: string; dead: string; bytes: string; analyzed: boolean }>(
    client,
    `SELECT relname AS name, n_live_tup AS live, n_dead_tup AS dead, pg_total_relation_size(relid) AS bytes,
       coalesce(last_analyze, last_autoanalyze) IS NOT NULL AS analyzed
     FROM pg_stat_user_tables WHERE schemaname = $1 ORDER BY bytes DESC`,
    [schema],
  );
  return found.map(({ name, live, dead, bytes, analyzed }) => ({
    name,
    live: Number(live),
    dead: Number(dead),
    bytes: Number(bytes),
    analyzed,
  }));
}

/** Gives room back and counts anew; readers and writers go on meanwhile. */
export async function vacuum(url: string): Promise<void> {
  await withClient(url, async (client, { schema }) => {
    await client.query('SET statement_timeout = 0');
    for (const { name } of await tableHealth(client, schema)) await client.query(`VACUUM (ANALYZE) "${name}"`);
  });
}

/** Builds what graphs are missing; one left half built is dropped first. */
export async function rebuildIndexes(url: string): Promise<void> {
  await withClient(url, async (client, { schema }) => {
    const all = await spaces(client);
    const missing = new Set(await unindexedSpaces(client, schema, all));
    for (const space of all) {
      if (!missing.has(indexOf(space))) continue;
      await client.query('BEGIN');
      await client.query(`DROP INDEX IF EXISTS ${indexOf(space)}`);
      await ensureIndex(client, space);
      await client.query('COMMIT');
    }
  });
}

async function withClient<T>(url: string, work: (client: Client, place: PgPlace) => Promise<T>): Promise<T> {
  const place = parsePlace(url);
  const client = await connect(place);
  try {
    return await work(client, place);
  } catch (error) {
    throw mappedError(error, place);
  } finally {
    await client.end().catch(() => undefined);
  }
}
