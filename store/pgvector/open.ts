/** Opens the PostgreSQL store: connection, extension, tables, and the lock that makes a process the vault's writer. */
import type { Client } from 'pg';
import { PipelineError } from '../../runner/errors.js';
import type { StoreCapabilities } from '../types.js';
import { connect, openPool, type PgPlace, parsePlace, pgError, rows } from './connection.js';
import { checkSchema, loadVectors, prepareSchema } from './schema.js';
import { PgStore } from './store.js';

export interface PgStoreOptions {
  /** postgres://user@host/database?schema=name */
  readonly url: string;
  readonly readOnly?: boolean;
}

/**
 * Opens the index of one vault. A writer creates or upgrades the tables and holds the vault's lock until it is closed.
 * @throws {PipelineError} `store-unreachable`, `store-login`, `store-missing`, `store-outdated`, `store-locked`.
 */
export async function openPgStore({ url, readOnly = false }: PgStoreOptions): Promise<PgStore> {
  const place = parsePlace(url);
  const client = await connect(place);
  try {
    const reason = await loadVectors(client, !readOnly);
    if (readOnly) await checkSchema(client, place);
    else {
      await lock(client, place);
      await prepareSchema(client, place);
    }
    const capabilities: StoreCapabilities = {
      text: true,
      vector: reason === undefined,
      ...(reason === undefined ? {} : { vectorReason: reason }),
      writable: !readOnly,
    };
    if (!readOnly) return new PgStore(place, capabilities, client, undefined);
    await client.end();
    return new PgStore(place, capabilities, undefined, openPool(place, true));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw pgError(error, place);
  }
}

/** One writer a vault. The lock goes with the connection, so a killed indexer never leaves it behind. */
async function lock(client: Client, { schema, shown }: PgPlace): Promise<void> {
  const key = `sluice-writer:${schema}`;
  const [got] = await rows<{ ok: boolean }>(client, 'SELECT pg_try_advisory_lock(hashtext($1)) AS ok', [key]);
  if (got?.ok) return;
  const [holder] = await rows<{ pid: number; host: string | null; since: string }>(
    client,
    `SELECT a.pid, host(a.client_addr) AS host, to_char(a.backend_start, 'YYYY-MM-DD HH24:MI') AS since
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.granted AND l.objid::bigint = (hashtext($1)::bigint & 4294967295)`,
    [key],
  );
  const who = holder
    ? `backend ${holder.pid} from ${holder.host ?? 'the server itself'}, connected ${holder.since}`
    : 'another process';
  throw new PipelineError('store-locked', `The index at ${shown} is being written by ${who}.`, {
    remedy: 'Wait until it is done, or stop it.',
    transient: true,
    fatal: true,
  });
}
