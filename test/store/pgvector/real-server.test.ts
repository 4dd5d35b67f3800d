/**
 * What one backend cannot show: locks between connections, roles, timeouts, a pool at work. Runs where PGURL names a
 * server with pgvector and a role that may create roles; PGlite has one backend and one user.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import { openPgLedger } from '../../../store/pgvector/ledger.js';
import { openPgStore } from '../../../store/pgvector/open.js';
import { row } from '../../contract/ledger.contract.js';
import { makeNote, SPACE } from '../../contract/notes.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

const noPause = async (): Promise<void> => undefined;

describe.skipIf((process.env['PGURL'] ?? '') === '')('a server with real backends', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const with_ = (url: string, change: (url: URL) => void): string => {
    const parsed = new URL(url);
    change(parsed);
    return parsed.toString();
  };

  test('two writers: the second is told who writes, waits if asked to, and a dead holder leaves nothing behind', async () => {
    const url = server.freshUrl();
    const [first, second] = [await openPgStore({ url }), await openPgStore({ url })];
    let release: () => void = () => undefined;
    const held = first.exclusively(
      { command: 'pipeline index' },
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    await first.version();
    const refused = second.exclusively({ command: 'pipeline watch', waitMs: 400, pause: noPause }, noPause);
    await expect(refused).rejects.toMatchObject({
      code: 'index-locked',
      message: expect.stringMatching(/"sluice: pipeline index" \(backend \d+ from/),
    });
    // A write outside a run waits for the run, and is not mixed into it.
    const lone = second.setMeta('k', 'v');
    release();
    await Promise.all([held, lone]);
    expect(await first.getMeta('k')).toBe('v');

    const dying = first.exclusively({ command: 'pipeline index' }, async () => {
      await server.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice: pipeline index'`,
      );
      return first.putNote(makeNote('a.md', ['text']));
    });
    await expect(dying).rejects.toMatchObject({ code: 'store-lost' });
    await second.exclusively({ command: 'pipeline index' }, () => second.putNote(makeNote('b.md', ['text'])));
    expect((await second.counts()).notes).toBe(1);
    // The first comes back with its next run.
    await first.exclusively({ command: 'pipeline index' }, () => first.putNote(makeNote('c.md', ['text'])));
    expect((await first.counts()).notes).toBe(2);
    await Promise.all([first.close(), second.close()]);
  });

  test('eight readers of one pool beside a writer see whole notes and no error', async () => {
    const url = server.freshUrl();
    const writer = await openPgStore({ url });
    const note = (i: number) =>
      makeNote(
        'a.md',
        Array.from({ length: 5 }, (_, n) => [`heron ${i} ${n}`, [1, n, 0, 0]] as const),
      );
    await writer.putNote(note(0), SPACE);
    const reader = await openPgStore({ url, readOnly: true });
    let writing = true;
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      while (writing) {
        const chunks = await reader.chunksOf('a.md');
        const versions = new Set(chunks.map((chunk) => chunk.text.split(' ')[1]));
        expect([chunks.length, versions.size]).toEqual([5, 1]);
        for (const version of versions) seen.add(version ?? '');
        const hits = await reader.matchText(parseQuery('heron'), { top: 5, filter: {}, weights: [1, 0.5, 0.3] });
        expect(hits).toHaveLength(5);
      }
    };
    const readers = Array.from({ length: 8 }, read);
    for (let i = 1; i <= 40; i++) await writer.putNote(note(i), SPACE);
    writing = false;
    await Promise.all(readers);
    expect(seen.size).toBeGreaterThan(3);
    await Promise.all([writer.close(), reader.close()]);
  });

  test('deploy/roles.sql: the indexer fills its schema, the reader reads it, and neither can do more', async () => {
    const url = server.freshUrl();
    const schema = new URL(url).searchParams.get('schema') ?? '';
    const [indexer, reader] = [`${schema}_indexer`, `${schema}_reader`];
    for (const role of [indexer, reader]) await server.sql(`CREATE ROLE "${role}" LOGIN PASSWORD 'pw'`);
    const names: Readonly<Record<string, string>> = { schema, indexer, reader };
    const script = readFileSync('deploy/roles.sql', 'utf8').replace(
      /:"(\w+)"/g,
      (_, name: string) => `"${names[name]}"`,
    );
    await server.sql(script);
    const as = (role: string): string =>
      with_(url, (parsed) => {
        parsed.username = role;
        parsed.password = 'pw';
      });

    const store = await openPgStore({ url: as(indexer) });
    await store.putNote(makeNote('a.md', [['the heron stands', [1, 0, 0, 0]]]), SPACE);
    await store.optimize();
    const ledger = await openPgLedger({ url: as(indexer) });
    await ledger.put(row('a'));

    const readable = await openPgStore({ url: as(reader), readOnly: true });
    const near = { top: 3, filter: {}, fingerprint: SPACE.fingerprint };
    expect(await readable.matchVector(Float32Array.from([1, 0, 0, 0]), near)).toHaveLength(1);
    expect(await readable.counts()).toMatchObject({ notes: 1, vectors: 1 });
    const readableLedger = await openPgLedger({ url: as(reader), readOnly: true });
    expect(await readableLedger.get('a')).toBeDefined();
    await expect(readableLedger.put(row('b'))).rejects.toMatchObject({ code: 'store-readonly' });

    const writing = await openPgStore({ url: as(reader) });
    await expect(writing.putNote(makeNote('b.md', ['no']))).rejects.toMatchObject({
      code: 'store-readonly',
      remedy: expect.stringContaining('writing role'),
    });
    expect((await readable.counts()).notes).toBe(1);
    // Not even another schema of the same database.
    const elsewhere = with_(as(indexer), (parsed) => parsed.searchParams.set('schema', `${schema}_other`));
    await expect(openPgStore({ url: elsewhere })).rejects.toMatchObject({ code: 'store-readonly' });

    for (const open of [store, ledger, readable, readableLedger, writing]) await open.close();
    await server.sql(
      `DROP SCHEMA "${schema}" CASCADE; DROP OWNED BY "${indexer}", "${reader}"; DROP ROLE "${indexer}", "${reader}"`,
    );
  });

  test('a wrong password is a login error, not a lost connection', async () => {
    const url = with_(server.freshUrl(), (parsed) => {
      parsed.password = 'not-the-password';
    });
    await expect(openPgStore({ url, pause: noPause })).rejects.toMatchObject({ code: 'store-login' });
  });

  test('a statement that takes too long is cancelled with a remedy, and nothing is half written', async () => {
    const url = server.freshUrl();
    const store = await openPgStore({
      url: with_(url, (parsed) => parsed.searchParams.set('statement_timeout', '150')),
    });
    await store.putNote(makeNote('a.md', ['before']));
    // Somebody's forgotten transaction: the note's file row can be written, its chunks cannot.
    const other = new Client(store.place.config);
    await other.connect();
    await other.query(`BEGIN; LOCK TABLE "${store.place.schema}".chunks IN SHARE MODE`);
    await expect(store.putNote(makeNote('b.md', ['text']))).rejects.toMatchObject({
      code: 'store-timeout',
      remedy: expect.stringContaining('doctor'),
    });
    await other.query('ROLLBACK');
    expect(await store.counts()).toMatchObject({ notes: 1, chunks: 1 });
    await store.putNote(makeNote('b.md', ['text']));
    expect((await store.counts()).notes).toBe(2);
    await other.end();
    await store.close();
  });
});
