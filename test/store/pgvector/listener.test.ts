/**
 * Hearing of commits. PGlite has one backend and gives a notification to whichever connection speaks next, so the
 * listener's own life is tested with a connection made of an event emitter; with PGURL the real thing is.
 */
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListeningClient, listen } from '../../../store/pgvector/listener.js';
import { openPgStore } from '../../../store/pgvector/open.js';
import { makeNote } from '../../contract/notes.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

class FakeClient extends EventEmitter implements ListeningClient {
  readonly said: string[] = [];
  ended = false;
  async query(sql: string): Promise<void> {
    this.said.push(sql);
  }
  async end(): Promise<void> {
    this.ended = true;
  }
}

describe('listening', () => {
  test('comes back after a loss, waiting longer each time, and counts that as a commit', async () => {
    const clients: FakeClient[] = [];
    const heard = new EventEmitter();
    const waits: number[] = [];
    const stop = new AbortController();
    let refusals = 0;
    await listen({
      channel: 'sluice_team',
      signal: stop.signal,
      onCommit: () => heard.emit('commit'),
      pause: async (ms) => void waits.push(ms),
      connect: async () => {
        if (clients.length === 1 && refusals++ < 3) throw new Error('away');
        const client = new FakeClient();
        clients.push(client);
        return client;
      },
    });
    expect(clients[0]?.said).toEqual(['LISTEN "sluice_team"']);
    const first = once(heard, 'commit');
    clients[0]?.emit('notification');
    await first;

    const back = once(heard, 'commit');
    clients[0]?.emit('end');
    await back;
    expect(waits).toEqual([500, 1000, 2000, 4000]);
    expect(clients[0]?.ended).toBe(true);
    expect(clients[1]?.said).toEqual(['LISTEN "sluice_team"']);

    stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clients[1]?.ended).toBe(true);
    let late = 0;
    heard.on('commit', () => late++);
    clients[1]?.emit('notification');
    expect(late).toBe(0);
  });

  test('the first connection must be made', async () => {
    const refused = async (): Promise<never> => {
      throw new Error('away');
    };
    await expect(
      listen({ channel: 'c', signal: new AbortController().signal, onCommit: () => undefined, connect: refused }),
    ).rejects.toThrow('away');
  });
});

const PGURL = process.env['PGURL'] ?? '';

describe.skipIf(PGURL === '')('on a server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('a reader hears of each commit of a writer, in its own schema only', async () => {
    const url = server.freshUrl();
    const writer = await openPgStore({ url });
    const elsewhere = await openPgStore({ url: server.freshUrl() });
    const reader = await openPgStore({ url, readOnly: true });
    const stop = new AbortController();
    const heard = new EventEmitter();
    let commits = 0;
    await reader.onCommit(() => {
      commits++;
      heard.emit('commit');
    }, stop.signal);
    await elsewhere.putNote(makeNote('a.md', ['not ours']));
    for (const path of ['a.md', 'b.md']) {
      const next = once(heard, 'commit');
      await writer.putNote(makeNote(path, ['text']));
      await next;
      expect(await reader.note(path)).toBeDefined();
    }
    expect(commits).toBe(2);
    stop.abort();
    for (const store of [writer, elsewhere, reader]) await store.close();
  });

  test('a listener whose backend is ended hears again', async () => {
    const url = server.freshUrl();
    const writer = await openPgStore({ url });
    const reader = await openPgStore({ url, readOnly: true });
    const stop = new AbortController();
    const heard = new EventEmitter();
    await reader.onCommit(() => heard.emit('commit'), stop.signal);
    const back = once(heard, 'commit');
    await server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN "sluice_${reader.place.schema}"'`,
    );
    await back;
    const next = once(heard, 'commit');
    await writer.putNote(makeNote('a.md', ['text']));
    await next;
    stop.abort();
    await writer.close();
    await reader.close();
  });
});
