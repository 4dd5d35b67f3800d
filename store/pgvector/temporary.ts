/** An index for one measurement: a schema of its own in somebody's database, gone when it is closed. */
import { connect, type PgPlace, parsePlace } from './connection.js';
import { openPgStore } from './open.js';
import type { PgStore } from './store.js';

/** Opens an empty store; `close` drops its schema, and nothing else in the database is read or written. */
export async function openTemporaryPgStore(url: string): Promise<PgStore> {
  const own = new URL(url);
  own.searchParams.set('schema', `sluice_temporary_${process.pid}_${Date.now().toString(36)}`);
  const store = await openPgStore({ url: own.toString() });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await dropSchema(parsePlace(own.toString()));
  };
  return store;
}

async function dropSchema(place: PgPlace): Promise<void> {
  const client = await connect(place);
  try {
    await client.query(`DROP SCHEMA "${place.schema}" CASCADE`);
  } finally {
    await client.end();
  }
}
