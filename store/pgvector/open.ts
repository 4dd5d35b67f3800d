/** Opens the PostgreSQL store: connection, extension, tables. */
import type { StoreCapabilities } from '../types.js';
import { connect, openPool, parsePlace, pgError } from './connection.js';
import { checkSchema, loadVectors, prepareSchema } from './schema.js';
import { PgStore } from './store.js';
import { WriterSession } from './writer-session.js';

export interface PgStoreOptions {
  /** postgres://user@host/database?schema=name */
  readonly url: string;
  readonly readOnly?: boolean;
}

/**
 * Opens the index of one vault. A writer creates or upgrades the tables; it locks out other writers while it writes.
 * @throws {PipelineError} `store-unreachable`, `store-login`, `store-missing`, `store-outdated`, `store-readonly`.
 */
export async function openPgStore({ url, readOnly = false }: PgStoreOptions): Promise<PgStore> {
  const place = parsePlace(url);
  const client = await connect(place);
  try {
    const reason = await loadVectors(client, !readOnly);
    if (readOnly) await checkSchema(client, place);
    else await prepareSchema(client, place);
    const capabilities: StoreCapabilities = {
      text: true,
      vector: reason === undefined,
      ...(reason === undefined ? {} : { vectorReason: reason }),
      writable: !readOnly,
    };
    if (!readOnly) return new PgStore(place, capabilities, new WriterSession(place, client, capabilities.vector));
    await client.end();
    return new PgStore(place, capabilities, openPool(place, true));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw pgError(error, place);
  }
}
