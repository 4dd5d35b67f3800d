/** Opens the PostgreSQL store: connection, extension, tables. */
import type { StoreCapabilities } from '../types.js';
import { connect, openPool, type PgPlace, parsePlace, pgError } from './connection.js';
import { searchSettings } from './nearest.js';
import { checkSchema, loadVectors, NO_VECTORS, prepareSchema } from './schema.js';
import { PgStore } from './store.js';
import { WriterSession } from './writer-session.js';

export interface PgStoreOptions {
  /** postgres://user@host/database?schema=name */
  readonly url: string;
  readonly readOnly?: boolean;
  /** Waits between two tries to connect; tests give one that does not. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Opens the index of one vault. A writer creates or upgrades the tables; it locks out other writers while it writes.
 * @throws {PipelineError} `store-unreachable`, `store-login`, `store-missing`, `store-outdated`, `store-readonly`.
 */
export async function openPgStore({ url, readOnly = false, pause }: PgStoreOptions): Promise<PgStore> {
  const bare = parsePlace(url);
  const client = await connect(bare, pause);
  try {
    const pgvector = await loadVectors(client, !readOnly);
    const place: PgPlace = pgvector === undefined ? bare : { ...bare, settings: searchSettings(pgvector) };
    if (readOnly) await checkSchema(client, place);
    else await prepareSchema(client, place);
    const capabilities: StoreCapabilities = {
      text: true,
      vector: pgvector !== undefined,
      ...(pgvector === undefined ? { vectorReason: NO_VECTORS } : {}),
      writable: !readOnly,
    };
    if (readOnly) {
      await client.end();
      return new PgStore(place, capabilities, pgvector, openPool(place, true));
    }
    if (place.settings !== undefined) await client.query(place.settings);
    return new PgStore(place, capabilities, pgvector, new WriterSession(place, client, capabilities.vector));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw pgError(error, bare);
  }
}
