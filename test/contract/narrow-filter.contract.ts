/** Five notes beside 50,000 chunks (CASES 8): part of the contract of stores that index, apart from the rest for its size. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseQuery } from '../../lib/query/parse.js';
import type { Filter, Hit } from '../../runner/items.js';
import type { ChunkStore } from '../../store/types.js';
import { ask } from '../support/search-fixture.js';
import { makeNote, SPACE } from './notes.js';

const LARGE_NOTES = 100;
const CHUNKS_EACH = 500;
const SMALL = ['apples', 'bridges', 'candles', 'dragons', 'engines'].map((word) => `small/${word}.md`);
const QUESTION = Float32Array.from([1, 0, 0, 0]);

/** A unit vector at this angle to the question, turned about it by `turn`. */
const at = (angle: number, turn: number): number[] => [
  Math.cos(angle),
  Math.sin(angle) * Math.cos(turn),
  Math.sin(angle) * Math.sin(turn),
  0,
];

export function narrowFilterContract(name: string, open: () => Promise<ChunkStore>): void {
  describe(`${name}: five notes beside ${LARGE_NOTES * CHUNKS_EACH} chunks`, () => {
    let store: ChunkStore;
    beforeAll(async () => {
      store = await open();
      for (let n = 0; n < LARGE_NOTES; n++) {
        // All of them nearer to the question, and with the word asked for, than any note of the small folder.
        const chunks = Array.from({ length: CHUNKS_EACH }, (_, i) => {
          const k = n * CHUNKS_EACH + i;
          return [`common common entry ${k}`, at(0.3 * ((k * 0.618) % 1), k)] as const;
        });
        await store.putNote(makeNote(`large/${n}.md`, chunks, { meta: { updated: '2020-01-01' } }), SPACE);
      }
      for (const [i, path] of SMALL.entries()) {
        const text = `a common remark about ${path.slice(6, -3)}`;
        await store.putNote(makeNote(path, [[text, at(0.6 + i / 10, 1)]], { meta: { updated: '2026-03-01' } }), SPACE);
      }
      await store.optimize();
    }, 600_000);
    afterAll(() => store.close());

    const filters: [string, Filter][] = [
      ['folder', { folder: ['small'] }],
      ['date', { updatedFrom: '2026-01-01' }],
      ['folder and ceiling', { folder: ['small'], ceiling: 'internal' }],
    ];
    const paths = (hits: readonly Hit[]): string[] => hits.map((hit) => hit.path);

    test.each(filters)('by vector, filtered by %s: its best five, nearest first', async (_, filter) => {
      const asked = { filter, fingerprint: SPACE.fingerprint };
      expect(paths(await store.matchVector(QUESTION, { ...asked, top: 5 }))).toEqual(SMALL);
      expect(paths(await store.matchVector(QUESTION, { ...asked, top: 3 }))).toEqual(SMALL.slice(0, 3));
    });

    test.each(filters)('by words, filtered by %s', async (_, filter) => {
      const hits = await store.matchText(parseQuery('common remark'), { top: 5, filter, weights: [1, 0.5, 0.3] });
      expect(paths(hits).sort()).toEqual(SMALL);
    });

    test.each(filters)('by the shipped search, filtered by %s', async (_, filter) => {
      const { hits } = await ask({
        pipeline: readFileSync('pipelines/search.yaml', 'utf8'),
        query: { text: 'common remark', limit: 5, filter },
        resources: {
          store: () => store,
          embedder: () => ({ ...SPACE, id: SPACE.model, embed: async (texts) => texts.map(() => QUESTION) }),
        },
      });
      expect(paths(hits).sort()).toEqual(SMALL);
    });

    test('a filter that leaves nearly all still fills the list', async () => {
      const hits = await store.matchVector(QUESTION, {
        top: 100,
        filter: { ceiling: 'internal', updatedTo: '2020-12-31' },
        fingerprint: SPACE.fingerprint,
      });
      expect(hits).toHaveLength(100);
      expect(hits.every((hit) => (hit.cosine ?? 0) > 0.99)).toBe(true);
    });
  });
}
