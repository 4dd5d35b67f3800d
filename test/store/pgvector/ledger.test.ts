import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPgLedger } from '../../../store/pgvector/ledger.js';
import { openPgStore } from '../../../store/pgvector/open.js';
import { expectRollback, ids, ledgerContract, row } from '../../contract/ledger.contract.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());

ledgerContract('postgres', () => openPgLedger({ url: server.freshUrl() }));

test('a failed change is rolled back whole', async () => {
  const ledger = await openPgLedger({ url: server.freshUrl() });
  await expectRollback(ledger);
  await ledger.put(row('c'));
  expect(await ids(ledger, {})).toEqual(['c']);
  await ledger.close();
});

test('emptying the index leaves the ledger alone', async () => {
  const url = server.freshUrl();
  const ledger = await openPgLedger({ url });
  await ledger.put(row('a', { aliases: ['x'] }));
  await ledger.close();
  const store = await openPgStore({ url });
  await store.clear();
  await store.close();
  const again = await openPgLedger({ url });
  expect(await again.find(['x'])).toMatchObject({ id: 'a' });
  await again.close();
});

test('a reader finds no ledger where none was made', async () => {
  await expect(openPgLedger({ url: server.freshUrl(), readOnly: true })).rejects.toMatchObject({
    code: 'store-missing',
  });
});
