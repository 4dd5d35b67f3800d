import { expect, test } from 'vitest';
import { fuseRanks } from '../../../lib/ranking/rrf.js';

const fuse = (text: string, meaning: string, weights: [number, number] = [1, 1], k = 60) =>
  fuseRanks(
    [
      { weight: weights[0], ids: [...text] },
      { weight: weights[1], ids: [...meaning] },
    ],
    k,
  );
const order = (...args: Parameters<typeof fuse>) =>
  fuse(...args)
    .map((f) => f.id)
    .join('');

test('scores are sums of weight / (k + rank), ranks from 1', () => {
  const [a, b, c] = fuse('ab', 'ca', [1, 0.5]);
  expect(a).toEqual({ id: 'a', ranks: [1, 2], score: 1 / 61 + 0.5 / 62 });
  expect(b).toEqual({ id: 'b', ranks: [2, null], score: 1 / 62 });
  expect(c).toEqual({ id: 'c', ranks: [null, 1], score: 0.5 / 61 });
});
test('a tie between one list and two goes to the entry in both', () => {
  const fused = fuseRanks(
    [
      { weight: 1, ids: ['solo', 'p', 'both'] },
      { weight: 1, ids: ['q', 'r', 'both'] },
    ],
    1,
  );
  expect(fused.find((f) => f.id === 'solo')?.score).toBe(1 / 2);
  expect(fused.find((f) => f.id === 'both')?.score).toBe(1 / 2);
  expect(fused[0]?.id).toBe('both');
});
test('then the lowest combined rank, then the lowest rank in its list', () => {
  expect(order('ab', 'ba')).toBe('ab');
  // Both score w/(k+1): the same score and combined rank from either list keeps the first list first.
  expect(order('a', 'b')).toBe('ab');
  const fused = fuseRanks(
    [
      { weight: 1, ids: ['x', 'm', 'n'] },
      { weight: 1, ids: ['y', 'n', 'm'] },
    ],
    60,
  );
  expect(fused.map((f) => f.id)).toEqual(['m', 'n', 'x', 'y']);
});
test('a duplicate in one list counts once, at its best rank', () => {
  expect(fuse('aba', '')[0]).toEqual({ id: 'a', ranks: [1, null], score: 1 / 61 });
});
test('nothing in, nothing out', () => {
  expect(fuse('', '')).toEqual([]);
});
