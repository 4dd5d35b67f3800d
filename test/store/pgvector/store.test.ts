import { afterAll, beforeAll } from 'vitest';
import { openPgStore } from '../../../store/pgvector/open.js';
import { narrowFilterContract } from '../../contract/narrow-filter.contract.js';
import { storeContract } from '../../contract/store.contract.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());

storeContract('postgres', () => openPgStore({ url: server.freshUrl() }));
narrowFilterContract('postgres', () => openPgStore({ url: server.freshUrl() }));
