import { expect, test } from 'vitest';
import { compareVectors, copyIndex, copyLedger } from '../../store/copy.js';
import { createMemoryStore } from '../../store/memory.js';
import { MemoryLedger } from '../../store/memory-ledger.js';
import { openLedger } from '../../store/sqlite/ledger.js';
import { openSqliteStore } from '../../store/sqlite/store.js';
import type { ChunkStore } from '../../store/types.js';
import { row } from '../contract/ledger.contract.js';
import { link, makeNote, SPACE } from '../contract/notes.js';

const NOTES = 600;

async function filled(): Promise<ChunkStore> {
  const store = await openSqliteStore({ file: ':memory:' });
  await store.transaction(async () => {
    for (let i = 0; i < NOTES; i++) {
      const vector = [Math.sin(i), Math.cos(i), 0, i % 7 === 0 ? -0.5 : 0];
      const parts = { links: [link(`${i + 1}`)], recipe: 'r1', meta: { title: `N${i}`, updated: '2024-01-01' } };
      await store.putNote(makeNote(`n/${i}.md`, [[`text ${i}`, vector]], parts), SPACE);
    }
    await store.putNote(makeNote('n/bare.md', ['no vector here']));
  });
  await store.setMeta('last-run', '2026-01-01T00:00:00.000Z');
  await store.optimize();
  return store;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function everything(store: ChunkStore): Promise<unknown[]> {
  const notes = await store.notes({ filter: {}, limit: 10_000, order: 'path' });
  return Promise.all(
    notes.map(async (note) => ({
      ...note,
      links: await store.linksFrom(note.path),
      chunks: (await store.chunksOf(note.path)).map(({ id: _, ...chunk }) => chunk),
    })),
  );
}

test('a copy holds the same, and copied back the vectors are the same bits', async () => {
  const from = await filled();
  const there = createMemoryStore();
  expect(await copyIndex(from, there)).toEqual({ notes: NOTES + 1, chunks: NOTES + 1, vectors: NOTES });
  expect(await everything(there)).toEqual(await everything(from));
  expect(await there.getMeta('last-run')).toBe('2026-01-01T00:00:00.000Z');
  expect(await compareVectors(from, there)).toBe(NOTES);
  const back = await openSqliteStore({ file: ':memory:' });
  await copyIndex(there, back);
  expect(await compareVectors(from, back)).toBe(NOTES);
  await Promise.all([from.close(), back.close()]);
});

test('an interrupted copy goes on where it stopped, and one made again copies only what differs', async () => {
  const from = await filled();
  const to = createMemoryStore();
  const interrupted = new AbortController();
  await expect(
    copyIndex(from, to, { signal: interrupted.signal, onProgress: () => interrupted.abort(new Error('stop')) }),
  ).rejects.toThrow('stop');
  const first = (await to.counts()).notes;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(NOTES);
  expect((await copyIndex(from, to)).notes).toBe(NOTES + 1 - first);
  await from.putNote(makeNote('n/1.md', [['changed', [1, 0, 0, 0]]]), SPACE);
  await from.removeNote('n/2.md');
  expect((await copyIndex(from, to)).notes).toBe(1);
  expect(await everything(to)).toEqual(await everything(from));
  await from.close();
});

test('a vector that differs by one bit is found', async () => {
  const from = await filled();
  const to = createMemoryStore();
  await copyIndex(from, to);
  const [chunk] = await to.chunksOf('n/5.md');
  const vector = (await to.vectors([chunk?.id ?? -1], SPACE.fingerprint)).get(chunk?.id ?? -1);
  if (vector) new Int32Array(vector.buffer, vector.byteOffset, 1)[0] = 1;
  await expect(compareVectors(from, to)).rejects.toMatchObject({ code: 'copy-differs' });
  await from.close();
});

test('a ledger is carried whole; what is known there stays as it is known there', async () => {
  const from = openLedger({ file: ':memory:' });
  await from.apply({
    rows: [row('a', { aliases: ['x'], decidedBy: 'user' }), row('b', { title: 'Here' })],
    labels: [{ id: 'a', at: '2026-01-02T00:00:00.000Z', kind: 'accepted', domain: 'web' }],
    written: [{ path: 'n/a.md', text: 'as written' }],
    journal: { at: '2026-01-02T00:00:00.000Z', action: 'accept', rows: [row('a')], files: [], labels: [], written: [] },
  });
  await from.setSourceState({ name: 'feed', failures: 0, items: 2, etag: 'W/"1"' });
  const to = new MemoryLedger();
  expect(await copyLedger(from, to)).toEqual({ rows: 2, labels: 1, actions: 1, sources: 1, written: 1 });
  expect(await to.find(['x'])).toEqual(await from.get('a'));
  expect(await to.lastWritten('n/a.md')).toBe('as written');
  expect(await to.sourceState('feed')).toMatchObject({ etag: 'W/"1"' });
  expect((await to.lastAction())?.action).toBe('accept');
  expect(await all(to.labels())).toEqual(await all(from.labels()));

  await to.put(row('b', { title: 'There' }));
  await from.put(row('c'));
  expect(await copyLedger(from, to)).toEqual({ rows: 1, labels: 0, actions: 0, sources: 0, written: 0 });
  expect(await to.get('b')).toMatchObject({ title: 'There' });
  await from.close();
});
