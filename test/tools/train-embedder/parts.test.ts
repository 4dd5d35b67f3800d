import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../../lib/embedding/vocabulary.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import {
  addProduct,
  project,
  secondMoment,
  seededRandom,
  timesTransposed,
  topEigenvectors,
  transposed,
} from '../../../tools/train-embedder/linear-algebra.js';
import { readPairs } from '../../../tools/train-embedder/pairs.js';
import { frequentSplitWords, tokenCounts } from '../../../tools/train-embedder/vocabulary.js';

function randomMatrix(seed: number, size: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: size }, () => random() - 0.5);
}
const closeTo = (found: Float32Array, wanted: readonly number[]): void => {
  expect(found).toHaveLength(wanted.length);
  for (const [i, x] of wanted.entries()) expect(found[i]).toBeCloseTo(x, 4);
};

describe('linear algebra', () => {
  const [n, m, k] = [3, 7, 5];
  const a = randomMatrix(1, n * k);
  const b = randomMatrix(2, m * k);
  const dot = (i: number, j: number): number => {
    let sum = 0;
    for (let d = 0; d < k; d++) sum += (a[i * k + d] ?? 0) * (b[j * k + d] ?? 0);
    return sum;
  };
  const products = Array.from({ length: n * m }, (_, at) => dot(Math.floor(at / m), at % m));

  it('multiplies, also where the width is no multiple of the block', () => {
    closeTo(timesTransposed(a, b, n, m, k), products);
    closeTo(
      transposed(timesTransposed(a, b, n, m, k), n, m),
      products.map((_, at) => dot(at % n, Math.floor(at / n))),
    );
  });

  it('adds a scaled product', () => {
    const out = Float32Array.from({ length: n * k }, () => 1);
    const g = randomMatrix(3, n * m);
    addProduct(out, g, b, n, m, k, 2);
    const wanted = Array.from(out, (_, at) => {
      let sum = 1;
      for (let j = 0; j < m; j++) sum += 2 * (g[Math.floor(at / k) * m + j] ?? 0) * (b[j * k + (at % k)] ?? 0);
      return sum;
    });
    closeTo(out, wanted);
  });

  it('finds the main directions of rows that lie along them', () => {
    // Rows on two orthogonal directions, the first three times as long.
    const first = [0.6, 0.8, 0, 0];
    const second = [0, 0, 0.8, -0.6];
    const rows = Float32Array.from([first, second, first, second].flatMap((v, i) => v.map((x) => x * (i % 2 ? 1 : 3))));
    const basis = topEigenvectors(secondMoment(rows, 4), 4, 2);
    for (const [at, direction] of [first, second].entries()) {
      const along = direction.reduce((sum, x, d) => sum + x * (basis[at * 4 + d] ?? 0), 0);
      expect(Math.abs(along)).toBeCloseTo(1, 5);
    }
    const projected = project(rows, basis, 4, 2);
    expect(Math.abs(projected[0] ?? 0)).toBeCloseTo(1, 5);
    expect(projected[1]).toBeCloseTo(0, 5);
  });

  it('draws the same numbers from the same seed', () => {
    const draw = (seed: number): number[] => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1).every((x) => x >= 0 && x < 1)).toBe(true);
  });
});

describe('vocabulary and pairs', () => {
  it('adds frequent words that would be split, most frequent first, and none that is a token already', () => {
    const base = createWordPiece(vocabularyOf(['[UNK]', 'post', '##gres', 'the', 'd', '##jango']));
    const texts = ['The postgres', 'postgres django', 'Django, postgres: the the the', 'rare'];
    expect(frequentSplitWords(texts, base, 2, 10)).toEqual(['postgres', 'django']);
    expect(frequentSplitWords(texts, base, 2, 1)).toEqual(['postgres']);
  });

  it('counts tokens', () => {
    expect([...tokenCounts([Int32Array.of(0, 2, 2), Int32Array.of(2)], 4)]).toEqual([1, 0, 3, 0]);
  });

  it('reads pairs in the order of files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-pairs-'));
    const write = (name: string, pairs: readonly object[]): string => {
      const file = join(folder, name);
      writeFileSync(file, gzipSync(`${pairs.map((pair) => JSON.stringify(pair)).join('\n')}\n`));
      return file;
    };
    const files = [write('b.gz', [{ title: 'é', text: '1', from: 'x' }]), write('a.gz', [{ title: 't', text: '2' }])];
    expect(readPairs(files)).toEqual([
      { title: 'é', text: '1' },
      { title: 't', text: '2' },
    ]);
    rmSync(folder, { recursive: true });
  });
});
