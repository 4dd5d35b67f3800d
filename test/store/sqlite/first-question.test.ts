/** The first question to an index is answered by a scan, the next ones from memory: nobody may see a difference. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter } from '../../../runner/items.js';
import { openSqliteStore } from '../../../store/sqlite/store.js';
import type { ChunkStore } from '../../../store/types.js';
import { makeNote, SPACE } from '../../contract/notes.js';

const NOTES = 150;
const space = { ...SPACE, dimensions: 8 };
const dir = mkdtempSync(join(tmpdir(), 'sluice-first-'));
const file = join(dir, 'index.db');
const direction = (n: number): number[] => Array.from({ length: 8 }, (_, d) => Math.sin(n * (d + 1)));

beforeAll(async () => {
  const store = await openSqliteStore({ file });
  await store.transaction(async () => {
    for (let n = 0; n < NOTES; n++) {
      const chunks = Array.from({ length: 5 }, (_, i) => [`text ${n} ${i}`, direction(n * 5 + i + 1)] as const);
      const folder = n % 10 === 0 ? 'few' : 'many';
      await store.putNote(makeNote(`${folder}/${n}.md`, chunks, { meta: { type: n % 7 ? 'note' : 'log' } }), space);
    }
    await store.putNote(makeNote('many/empty.md', [['no words', Array<number>(8).fill(0)]]), space);
  });
  await store.close();
});
afterAll(() => rmSync(dir, { recursive: true }));

const FILTERS: readonly [string, Filter][] = [
  ['no filter', {}],
  ['a filter that leaves little', { folder: ['few'] }],
  ['a filter that leaves nearly all', { folder: ['many'] }],
];

describe.each(FILTERS)('with %s', (_, filter) => {
  test('the first answer is the second', async () => {
    const store = await openSqliteStore({ file, readOnly: true });
    const query = Float32Array.from(direction(3.3));
    const ask = () => store.matchVector(query, { top: 20, filter, fingerprint: space.fingerprint });
    const [first, second] = [await ask(), await ask()];
    await store.close();
    expect(first).toHaveLength(20);
    expect(first.map(({ chunkId }) => chunkId)).toEqual(second.map(({ chunkId }) => chunkId));
    for (const [i, { cosine }] of first.entries()) expect(cosine).toBeCloseTo(second[i]?.cosine ?? 2, 5);
  });
});

test('cosines of chosen chunks are the same before and after, and zeros have none', async () => {
  const store = await openSqliteStore({ file, readOnly: true });
  const query = Float32Array.from(direction(3.3));
  const ids = await idsOf(store, ['few/0.md', 'many/1.md', 'many/empty.md']);
  const ask = () => store.similarities(ids, query, space.fingerprint);
  const before = await ask();
  for (const _ of [1, 2]) await store.matchVector(query, { top: 5, filter: {}, fingerprint: space.fingerprint });
  const after = await ask();
  await store.close();
  expect(before.size).toBe(10);
  expect([...before.keys()]).toEqual([...after.keys()]);
  for (const [id, cosine] of before) expect(cosine).toBeCloseTo(after.get(id) ?? 2, 5);
});

async function idsOf(store: ChunkStore, paths: readonly string[]): Promise<number[]> {
  const chunks = await Promise.all(paths.map((path) => store.chunksOf(path)));
  return chunks.flat().map(({ id }) => id);
}
