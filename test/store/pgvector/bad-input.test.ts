/** What a user is told when the server, the role or the data is not as it should be. */
import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PipelineError } from '../../../runner/errors.js';
import { openPgStore } from '../../../store/pgvector/open.js';
import { makeNote, OTHER, SPACE } from '../../contract/notes.js';
import { runCli, temporaryFolder } from '../../support/cli.js';
import { freePort, startServer, type TestServer } from '../../support/pg-server.js';
import { type Refusal, startRefusingServer } from '../../support/refusing-server.js';
import { ask, toyEmbedder } from '../../support/search-fixture.js';

const noPause = async (): Promise<void> => undefined;

async function failureOf(work: Promise<unknown>): Promise<PipelineError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PipelineError)) throw new Error(`expected a PipelineError, not ${String(error)}`);
  return error;
}

describe('a server that refuses', () => {
  const cases: [string, Refusal, { code: string; remedy: RegExp; tries?: number }][] = [
    [
      'the password',
      { at: 'door', code: '28P01', message: 'password authentication failed for user "somebody"' },
      { code: 'store-login', remedy: /PGPASSWORD/ },
    ],
    [
      'the user at this address',
      { at: 'door', code: '28000', message: 'no pg_hba.conf entry for host' },
      { code: 'store-login', remedy: /user/ },
    ],
    [
      'a database that is not there',
      { at: 'door', code: '3D000', message: 'database "knowledge" does not exist' },
      { code: 'store-missing', remedy: /createdb/ },
    ],
    [
      'while it starts',
      { at: 'door', code: '57P03', message: 'the database system is starting up' },
      { code: 'store-unreachable', remedy: /Start it/, tries: 4 },
    ],
    [
      'for want of connections',
      { at: 'door', code: '53300', message: 'sorry, too many clients already' },
      { code: 'store-unreachable', remedy: /max_connections/, tries: 4 },
    ],
    [
      'to write, because the role may only read',
      { at: 'query', code: '42501', message: 'permission denied for schema team' },
      { code: 'store-readonly', remedy: /writing role/ },
    ],
    [
      'to write on a standby',
      { at: 'query', code: '25006', message: 'cannot execute INSERT in a read-only transaction' },
      { code: 'store-readonly', remedy: /writing role/ },
    ],
    [
      'a statement that took too long',
      { at: 'query', code: '57014', message: 'canceling statement due to statement timeout' },
      { code: 'store-timeout', remedy: /doctor/, tries: 4 },
    ],
    [
      'on a full disk',
      { at: 'query', code: '53100', message: 'could not extend file: No space left on device' },
      { code: 'disk-full', remedy: /space/ },
    ],
    [
      'because it is being shut down',
      { at: 'query', code: '57P01', message: 'terminating connection due to administrator command' },
      { code: 'store-lost', remedy: /again/, tries: 4 },
    ],
  ];
  test.each(cases)('%s', async (_, refusal, { code, remedy, tries = 1 }) => {
    const server = await startRefusingServer(refusal);
    const error = await failureOf(openPgStore({ url: server.url, pause: noPause }));
    expect(error.code).toBe(code);
    expect(error.remedy).toMatch(remedy);
    expect(error.message).toContain(refusal.message);
    expect(error.message).toContain('127.0.0.1');
    expect(`${error.message} ${error.remedy}`).not.toContain('hunter2');
    // Tried again, with longer waits, where that can help; at once otherwise.
    expect(server.connections()).toBe(tries);
    await server.stop();
  });

  test('an encrypted connection is never given up for a plain one', async () => {
    const server = await startRefusingServer({ at: 'door', code: '28000', message: 'never reached' });
    const url = server.url.replace('sslmode=disable', 'sslmode=require');
    const error = await failureOf(openPgStore({ url, pause: noPause }));
    expect(error.code).toBe('store-tls');
    expect(error.remedy).toMatch(/sslrootcert/);
    expect(server.connections()).toBe(0);
    await server.stop();
  });
});

test('a server that is down: the command says where and what to do, with exit code 3, and no password', async () => {
  const port = await freePort();
  const error = await failureOf(openPgStore({ url: `postgres://u@127.0.0.1:${port}/db`, pause: noPause }));
  expect(error).toMatchObject({ code: 'store-unreachable' });

  const vault = temporaryFolder('down');
  const env = { SLUICE_STORE: `postgres://u:hunter2-password@127.0.0.1:${port}/db?sslmode=disable` };
  const config = temporaryFolder('config');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${config}/config.yaml`, 'config:\n  store: "${SLUICE_STORE}"\n');
  const said = await runCli(['search', 'anything', '--vault', vault, '--config', `${config}/config.yaml`], { env });
  expect(said.code).toBe(3);
  expect(said.stderr).toMatch(/does not answer.*127\.0\.0\.1:\d+\/db.*Start it/s);
  expect(said.stdout + said.stderr).not.toContain('hunter2');
});

test.each([
  ['mysql://u:hunter2@h/db', /postgres:\/\//],
  ['postgres://u:hunter2@h:notaport/db', /not a URL/],
  ['postgres://u:hunter2@h/db?schema=Robert%22;drop', /schema name/],
])('an address that is none is not repeated: %s', async (url, why) => {
  const error = await failureOf(openPgStore({ url }));
  expect(error.code).toBe('store-url');
  expect(`${error.message} ${error.remedy}`).toMatch(why);
  expect(error.message).not.toContain('hunter2');
});

describe('vectors', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  }, 300_000);
  afterAll(() => server.stop());

  test('of another length than their space are refused, and nothing of the note is written', async () => {
    const store = await openPgStore({ url: server.freshUrl() });
    await store.putNote(makeNote('a.md', [['one', [1, 0, 0, 0]]]), SPACE);
    const wrong = await failureOf(store.putNote(makeNote('b.md', [['two', [1, 0]]]), SPACE));
    expect(wrong).toMatchObject({ code: 'vector-dimensions', remedy: expect.stringContaining('index --full') });
    const other = await failureOf(store.putNote(makeNote('b.md', ['two']), { ...SPACE, dimensions: OTHER.dimensions }));
    expect(other.code).toBe('vector-dimensions');
    expect(await store.counts()).toMatchObject({ notes: 1, chunks: 1, vectors: 1 });
    await store.close();
  });

  test('are missing where the extension is: notes are indexed, search goes on by words and says why', async () => {
    const db = await PGlite.create();
    const port = await freePort();
    const socket = new PGLiteSocketServer({ db, host: '127.0.0.1', port, maxConnections: 4 });
    await socket.start();
    const store = await openPgStore({ url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable` });
    expect(store.capabilities).toMatchObject({ text: true, vector: false });
    expect(store.capabilities.vectorReason).toMatch(/install pgvector.*CREATE EXTENSION vector/);
    await store.putNote(makeNote('a.md', [['the heron stands still', [1, 0, 0, 0]]]), SPACE);
    const { hits, report } = await ask({
      pipeline: readFileSync('pipelines/search.yaml', 'utf8'),
      query: { text: 'heron' },
      resources: { store: () => store, embedder: () => toyEmbedder },
    });
    expect(hits.map((hit) => hit.path)).toEqual(['a.md']);
    expect(report.notices.map((notice) => notice.message).join()).toContain('pgvector');
    await store.close();
    await socket.stop();
    await db.close();
  }, 300_000);
});
