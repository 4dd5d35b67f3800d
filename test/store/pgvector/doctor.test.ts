/** `pipeline doctor` on a server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPgStore } from '../../../store/pgvector/open.js';
import { openLedger } from '../../../store/sqlite/ledger.js';
import type { Finding } from '../../../workspace/doctor/checks.js';
import { examine } from '../../../workspace/doctor/doctor.js';
import { row } from '../../contract/ledger.contract.js';
import { makeVault, noteText, type TestVault } from '../../index/helpers.js';
import { freePort, startServer, type TestServer } from '../../support/pg-server.js';

let server: TestServer;
let vault: TestVault;
let url: string;
let schema: string;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());
beforeEach(async () => {
  vault = makeVault();
  url = server.freshUrl();
  schema = new URL(url).searchParams.get('schema') ?? '';
  vault.put('.pipeline/config.yaml', `config:\n  store: "${url}"\n`);
  for (let i = 0; i < 5; i++) vault.put(`n/${i}.md`, noteText(`Note${i}`));
  await vault.index();
});
afterEach(() => vault.remove());

async function doctor(fix = false): Promise<ReadonlyMap<string, Finding>> {
  const workspace = await vault.open();
  try {
    return new Map((await examine(workspace, fix)).map((finding) => [finding.check, finding]));
  } finally {
    await workspace.close();
  }
}

const wrong = (findings: ReadonlyMap<string, Finding>): string[] =>
  [...findings.values()].filter(({ ok }) => !ok).map(({ check }) => check);

test('a healthy index on a server: what it is, and nothing to do', async () => {
  const findings = await doctor();
  expect(wrong(findings)).toEqual([]);
  expect(findings.get('server')?.symptom).toMatch(/^PostgreSQL \d+.* \(schema t\w+\) as postgres$/);
  expect(findings.get('pgvector')?.symptom).toMatch(/^0\.\d+/);
  expect([...findings.keys()]).toEqual(
    expect.arrayContaining(['encryption', 'connections', 'role', 'integrity', 'vector-index', 'bloat', 'drift']),
  );
  // The index file of this machine has nothing to do with it.
  expect([...findings.values()].some(({ symptom }) => symptom.includes(vault.dbFile))).toBe(false);
});

test('a vector index that was never finished is built by --fix', async () => {
  await server.sql(`DROP INDEX "${schema}".chunk_vecs_1_hnsw`);
  const findings = await doctor();
  expect(wrong(findings)).toEqual(['vector-index']);
  expect(findings.get('vector-index')?.fix).toContain('--fix');
  expect((await doctor(true)).get('vector-index')).toMatchObject({ ok: false, fixed: true });
  expect(wrong(await doctor())).toEqual([]);
});

test('rows deleted by hand are noticed', async () => {
  await server.sql(`DELETE FROM "${schema}".chunk_vecs_1 WHERE chunk_id = (SELECT min(id) FROM "${schema}".chunks)`);
  expect((await doctor()).get('integrity')?.symptom).toBe(
    '0 notes lack chunks, 1 notes lack vectors they should have.',
  );
  await server.sql(`DELETE FROM "${schema}".chunks WHERE id = (SELECT max(id) FROM "${schema}".chunks)`);
  expect((await doctor()).get('integrity')).toMatchObject({
    ok: false,
    symptom: '1 notes lack chunks, 1 notes lack vectors they should have.',
    fix: 'Run `pipeline index --full`.',
  });
  await vault.index({ overrides: ['scan-vault.full=true'] });
  expect(wrong(await doctor())).toEqual([]);
});

test('a note that waits is drift; a ledger left in its file is named', async () => {
  vault.put('n/new.md', noteText('New'));
  const ledger = openLedger({ file: vault.dbFile.replace(/\.db$/, '.ledger.db') });
  await ledger.put(row('a'));
  await ledger.close();
  const findings = await doctor();
  expect(wrong(findings)).toEqual(['ledger', 'drift']);
  expect(findings.get('ledger')?.fix).toContain('pipeline migrate --to postgres');
  expect((await doctor(true)).get('drift')).toMatchObject({ fixed: true });
  const store = await openPgStore({ url, readOnly: true });
  expect((await store.counts()).notes).toBe(6);
  await store.close();
});

test('no index yet, and no server', async () => {
  vault.put('.pipeline/config.yaml', `config:\n  store: "${server.freshUrl()}"\n`);
  expect((await doctor()).get('index')).toMatchObject({ ok: false, fix: expect.stringContaining('pipeline index') });
  vault.put('.pipeline/config.yaml', `config:\n  store: "postgres://u:hunter2@127.0.0.1:${await freePort()}/db"\n`);
  const { symptom = '', fix } = (await doctor()).get('server') ?? {};
  expect(symptom).toContain('does not answer');
  expect(symptom).not.toContain('hunter2');
  expect(fix).toContain('Start it');
});
