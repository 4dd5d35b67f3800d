/** What every ChunkStore does with vectors; part of its contract (`store.contract.ts`). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Filter, Hit, NoteMeta } from '../../runner/items.js';
import type { ChunkStore } from '../../store/types.js';
import { fakeHash, makeNote, OTHER, SPACE } from './notes.js';

export function vectorContract(name: string, open: () => Promise<ChunkStore>): void {
  describe(`${name}: vectors`, () => {
    let store: ChunkStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const near = (vector: readonly number[], filter: Filter = {}, top = 30): Promise<readonly Hit[]> =>
      store.matchVector(Float32Array.from(vector), { top, filter, fingerprint: SPACE.fingerprint });

    test('gives the cosine of chosen chunks', async () => {
      await store.putNote(
        makeNote('a.md', [
          ['x', [1, 0, 0, 0]],
          ['y', [0, 1, 0, 0]],
          ['z', [1, 1, 0, 0]],
        ]),
        SPACE,
      );
      const [x, , z] = await store.chunksOf('a.md');
      const ids = [x?.id ?? -1, z?.id ?? -1, 999_999];
      const found = await store.similarities(ids, Float32Array.from([1, 0, 0, 0]), SPACE.fingerprint);
      expect([...found.keys()].sort((a, b) => a - b)).toEqual(ids.slice(0, 2));
      expect(found.get(ids[0] ?? 0)).toBeCloseTo(1, 2);
      expect(found.get(ids[1] ?? 0)).toBeCloseTo(Math.SQRT1_2, 2);
      await expect(store.similarities(ids, Float32Array.from([1, 0, 0, 0]), 'other')).rejects.toMatchObject({
        code: 'vector-mismatch',
      });
    });

    test('gives vectors back in their direction, by space', async () => {
      await store.putNote(makeNote('a.md', [['x', [127, -64, 0, 1]]]), SPACE);
      const [chunk] = await store.chunksOf('a.md');
      const id = chunk?.id ?? -1;
      const stored = await store.vectors([id, 999_999], SPACE.fingerprint);
      expect([...stored.keys()]).toEqual([id]);
      const [vector = new Float32Array(4)] = stored.values();
      const norm = Math.hypot(...vector);
      for (const [d, x] of [127, -64, 0, 1].entries())
        expect((vector[d] ?? 0) / norm).toBeCloseTo(x / Math.hypot(127, -64, 0, 1), 2);
      expect(await store.vectors([id], 'other')).toEqual(new Map());
    });

    test('vectors are found by cosine, nearest first, whatever their length', async () => {
      await store.putNote(
        makeNote('a.md', [
          ['far', [0, 0, 1, 0]],
          ['near', [0.9, 0.1, 0, 0]],
        ]),
        SPACE,
      );
      await store.putNote(makeNote('b.md', [['nearest', [1, 0.02, 0, 0]]]), SPACE);
      const hits = await near([2, 0, 0, 0], {}, 2);
      expect(hits.map((hit) => [hit.text, hit.vecRank, hit.bm25Rank])).toEqual([
        ['nearest', 1, null],
        ['near', 2, null],
      ]);
      expect(hits[0]?.cosine).toBeCloseTo(1, 2);
    });

    test('a zero vector is stored and never found', async () => {
      await store.putNote(
        makeNote('a.md', [
          ['nothing', [0, 0, 0, 0]],
          ['some', [0, 1, 0, 0]],
        ]),
        SPACE,
      );
      expect(await store.counts()).toMatchObject({ chunks: 2, vectors: 2 });
      expect((await near([0, 1, 0, 0])).map((hit) => hit.text)).toEqual(['some']);
    });

    test('the same chunk text brings its vector along', async () => {
      await store.putNote(makeNote('a.md', [['shared', [1, 0, 0, 0]]]), SPACE);
      expect(await store.knownVectors([fakeHash('shared'), fakeHash('else')], SPACE)).toEqual(
        new Set([fakeHash('shared')]),
      );
      await store.putNote(makeNote('b.md', ['shared', ['own', [0, 1, 0, 0]]]), SPACE);
      expect(await store.counts()).toMatchObject({ chunks: 3, vectors: 3 });
      expect((await near([1, 0, 0, 0], {}, 2)).map((hit) => hit.path).sort()).toEqual(['a.md', 'b.md']);
    });

    test('a note has vectors for all of its chunks or for none', async () => {
      await store.putNote(makeNote('a.md', ['no vector', ['one', [1, 0, 0, 0]]]), SPACE);
      expect(await store.file('a.md')).toMatchObject({ spaces: [] });
      expect(await store.counts()).toMatchObject({ chunks: 2, vectors: 0 });
    });

    test('a changed note whose new text has no vector leaves the space whole', async () => {
      await store.putNote(
        makeNote('a.md', [
          ['one', [1, 0, 0, 0]],
          ['two', [0, 1, 0, 0]],
        ]),
        SPACE,
      );
      await store.putNote(makeNote('a.md', ['one', 'three']));
      expect(await near([1, 0, 0, 0])).toEqual([]);
      expect(await store.counts()).toMatchObject({ chunks: 2, vectors: 0 });
    });

    test('vectors of two models never mix; the second is used once it is complete', async () => {
      const eight = [1, 0, 0, 0, 0, 0, 0, 0];
      await store.putNote(makeNote('a.md', [['one', [1, 0, 0, 0]]]), SPACE);
      await store.putNote(makeNote('b.md', [['two', [1, 0, 0, 0]]]), SPACE);
      expect(await store.activeSpace()).toEqual(SPACE);
      await store.putNote(makeNote('a.md', [['one', eight]]), OTHER);
      await store.optimize();
      expect(await store.activeSpace()).toEqual(SPACE);
      expect(await near([1, 0, 0, 0])).toHaveLength(2);
      await store.putNote(makeNote('b.md', [['two', eight]]), OTHER);
      await store.optimize();
      expect(await store.activeSpace()).toEqual(OTHER);
      await expect(near([1, 0, 0, 0])).rejects.toMatchObject({ code: 'vector-mismatch' });
      expect(await store.file('a.md')).toMatchObject({ spaces: [OTHER.fingerprint] });
      expect(await store.counts()).toMatchObject({ vectors: 2 });
    });

    test('age reorders what the distance has found, and finds nothing itself', async () => {
      const dated: [string, Partial<NoteMeta>, number][] = [
        ['old.md', { updated: '2020-01-01', created: '2026-01-01' }, 0],
        ['fresh.md', { updated: '2026-01-01', created: '2019-01-01' }, 0.1],
        ['made-long-ago.md', { created: '2019-01-01' }, 0.15],
        ['undated.md', {}, 0.2],
        ['far.md', { updated: '2026-01-01' }, 1.2],
      ];
      for (const [path, meta, angle] of dated)
        await store.putNote(makeNote(path, [[path, [Math.cos(angle), Math.sin(angle), 0, 0]]], { meta }), SPACE);
      const aged = (top: number, candidates: number): Promise<readonly Hit[]> =>
        store.matchVector(Float32Array.from([1, 0, 0, 0]), {
          top,
          filter: {},
          fingerprint: SPACE.fingerprint,
          stale: { before: '2025-07-01', penalty: 0.05, candidates },
        });
      const hits = await aged(4, 100);
      expect(hits.map(({ path, vecRank }) => [path, vecRank])).toEqual([
        ['fresh.md', 1],
        ['undated.md', 2],
        ['old.md', 3],
        ['made-long-ago.md', 4],
      ]);
      expect(hits[2]?.score).toBeCloseTo(0.95, 2);
      expect(hits[2]?.cosine).toBeCloseTo(1, 2);
      expect((await aged(1, 1)).map((hit) => hit.path)).toEqual(['old.md']);
      expect((await aged(1, 2)).map((hit) => hit.path)).toEqual(['fresh.md']);
    });

    test('without any vector there is no space and no hit', async () => {
      await store.putNote(makeNote('a.md', ['one']));
      expect(await store.activeSpace()).toBeUndefined();
      expect(await near([1, 0, 0, 0])).toEqual([]);
    });
  });
}
