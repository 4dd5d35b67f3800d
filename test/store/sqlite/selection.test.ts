import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import { Selections } from '../../../store/sqlite/selection.js';
import { openSqliteStore, type SqliteStore } from '../../../store/sqlite/store.js';
import { VectorIndex } from '../../../store/sqlite/vectors.js';
import { makeNote, SPACE } from '../../contract/notes.js';

let dir: string;
let store: SqliteStore;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'selection-'));
  store = await openSqliteStore({ file: join(dir, 'index.db'), readOnly: false });
  for (let i = 0; i < 10; i++) await put(i, i < 2 ? 'secret' : 'internal');
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

function put(i: number, sensitivity: 'internal' | 'secret'): Promise<void> {
  const meta = { domain: i === 9 ? 'design' : 'security', sensitivity };
  return store.putNote(makeNote(`n${i}.md`, [[`chunk ${i}`, [1, i, 0, 0]]], { meta }), SPACE);
}

describe('what a filter selects', () => {
  test('the shorter list of the two, or all', () => {
    const selections = new Selections(store.db);
    expect(selections.of({})).toMatchObject({ kind: 'all' });
    expect(selections.of({ domain: ['security', 'design'] })).toMatchObject({ kind: 'all' });
    expect(selections.of({ ceiling: 'internal' })).toMatchObject({ kind: 'except', ids: [1, 2] });
    expect(selections.of({ domain: ['design'] })).toMatchObject({ kind: 'only', ids: [10] });
    expect(selections.of({ domain: ['nothing'] })).toMatchObject({ kind: 'only', ids: [] });
  });
  test('is found once, and again after a write', async () => {
    const selections = new Selections(store.db);
    const first = selections.of({ ceiling: 'internal' });
    expect(selections.of({ ceiling: 'internal' })).toBe(first);
    await put(7, 'secret');
    expect(selections.of({ ceiling: 'internal' })).toMatchObject({ kind: 'except', ids: [1, 2, expect.any(Number)] });
  });
  test('both legs leave out what is above the ceiling, from memory and by a scan', async () => {
    const filter = { ceiling: 'internal' } as const;
    const text = await store.matchText(parseQuery('chunk'), { top: 30, filter, weights: [1, 0.5, 0.3] });
    expect(text).toHaveLength(8);
    const options = { top: 3, filter, fingerprint: SPACE.fingerprint };
    const query = Float32Array.from([1, 0, 0, 0]);
    for (const inMemory of [undefined, 0]) {
      const vectors = new VectorIndex(store.db, new Selections(store.db), inMemory);
      expect(vectors.match(query, options).map(({ meta }) => meta.title)).toEqual(['n2.md', 'n3.md', 'n4.md']);
      expect([...vectors.similarities([4, 9], query, SPACE.fingerprint).keys()].sort()).toEqual([4, 9]);
    }
  });
});
