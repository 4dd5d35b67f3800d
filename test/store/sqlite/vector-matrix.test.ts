import { describe, expect, test } from 'vitest';
import { quantize, restore, turn } from '../../../store/sqlite/quantize.js';
import { selected } from '../../../store/sqlite/selection.js';
import { type VectorBlock, VectorMatrix } from '../../../store/sqlite/vector-matrix.js';

/** Mulberry32: the same vectors in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Vectors around common centres, all leaning one way, as text embeddings do. */
function clustered(count: number, dimensions: number): Float32Array[] {
  const next = random(7);
  const noise = () => next() + next() + next() - 1.5;
  const centres = Array.from({ length: 50 }, () => Array.from({ length: dimensions }, noise));
  return Array.from({ length: count }, (_, i) => {
    const centre = centres[i % centres.length] ?? [];
    // Members lie at many distances from their centre: neighbours of real texts do not all crowd one shell.
    const pull = 2 * next();
    const raw = Float32Array.from(centre, (x) => pull * x + noise() + 0.3);
    const norm = Math.hypot(...raw);
    return raw.map((x) => x / norm);
  });
}

/** Two blocks with a free place at the start of each, as vec0 leaves them after deletions. */
function rows(vectors: readonly Float32Array[]): VectorBlock[] {
  const half = Math.ceil(vectors.length / 2);
  return [vectors.slice(0, half), vectors.slice(half)].map((part, n) => {
    const dimensions = vectors[0]?.length ?? 0;
    const block = {
      ids: new Uint32Array(2 * (part.length + 1)),
      used: new Uint8Array(Math.ceil((part.length + 1) / 8)),
      vectors: new Int8Array((part.length + 1) * dimensions).fill(77),
    };
    for (const [i, vector] of part.entries()) {
      block.ids[2 * (i + 1)] = n * half + i + 1;
      block.used[(i + 1) >> 3] = (block.used[(i + 1) >> 3] ?? 0) | (1 << ((i + 1) & 7));
      block.vectors.set(new Int8Array(quantize(vector)), (i + 1) * dimensions);
    }
    return block;
  });
}
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

function exact(vectors: readonly Float32Array[], query: Float32Array, top: number): number[] {
  const scored = vectors.map((vector, i) => ({ id: i + 1, cosine: dot(vector, query) }));
  return scored
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, top)
    .map(({ id }) => id);
}

describe('vectors in memory', () => {
  test('recall@30 against exact float search is at least 0.99', () => {
    const vectors = clustered(2_000, 128);
    const matrix = new VectorMatrix(rows(vectors), vectors.length, 128);
    const queries = clustered(2_025, 128).slice(2_000);
    let found = 0;
    for (const query of queries) {
      const wanted = new Set(exact(vectors, query, 30));
      found += matrix.nearest(query, 30).filter(({ id }) => wanted.has(id)).length;
    }
    expect(found / (queries.length * 30)).toBeGreaterThanOrEqual(0.99);
  });
  test('cosines are those of the vectors, best first, ties by id', () => {
    const vectors = [
      [1, 0, 0],
      [0, 1, 0],
      [1, 1, 0],
      [1, 0, 0],
      [0, 0, 0],
    ].map((v) => Float32Array.from(v));
    const matrix = new VectorMatrix(rows(vectors), 5, 3);
    const nearest = matrix.nearest(Float32Array.from([2, 0, 0]), 10);
    expect(nearest.map(({ id }) => id)).toEqual([1, 4, 3, 2]);
    expect(nearest.map(({ cosine }) => Math.round(cosine * 100))).toEqual([100, 100, 71, 0]);
    expect([...matrix.similarities([2, 3, 5, 99], Float32Array.from([0, 3, 0])).keys()]).toEqual([2, 3]);
  });
  test('a filter to few gives the best of those few, however far', () => {
    const vectors = clustered(9_000, 64);
    const matrix = new VectorMatrix(rows(vectors), vectors.length, 64);
    const allowed = [17, 2_500, 8_999, 123_456];
    expect(
      matrix
        .nearest(vectors[0] ?? new Float32Array(64), 30, selected('only', allowed))
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual([17, 2_500, 8_999]);
    const many = Array.from({ length: 4_000 }, (_, i) => 2 * i + 2);
    const even = matrix.nearest(vectors[0] ?? new Float32Array(64), 5, selected('only', many));
    expect(even).toHaveLength(5);
    expect(even.every(({ id }) => id % 2 === 0)).toBe(true);
    const odd = matrix.nearest(vectors[0] ?? new Float32Array(64), 5, selected('except', many));
    expect(odd).toHaveLength(5);
    expect(odd.every(({ id }) => id % 2 === 1 || id > 8_000)).toBe(true);
  });
  test('fewer vectors than announced, and none', () => {
    expect(new VectorMatrix(rows(clustered(3, 32)), 10, 32).size).toBe(3);
    expect(new VectorMatrix([], 0, 32).nearest(new Float32Array(32).fill(1), 5)).toEqual([]);
  });
});

describe('stored form', () => {
  test.each([256, 384, 100, 1])('%i dimensions come back nearly as they were', (dimensions) => {
    for (const vector of clustered(20, dimensions)) {
      const restored = restore(quantize(vector));
      expect(dot(vector, restored)).toBeGreaterThan(0.9998);
      expect(Math.hypot(...restored)).toBeCloseTo(1, 5);
    }
  });
  test('turning keeps lengths and angles', () => {
    const [a, b] = clustered(2, 384) as [Float32Array, Float32Array];
    expect(dot(turn(a), turn(b))).toBeCloseTo(dot(a, b), 5);
    expect(dot(turn(a), turn(a))).toBeCloseTo(1, 5);
  });
  test('a vector of zeros stays one', () => {
    expect(restore(quantize(new Float32Array(8))).every((x) => x === 0)).toBe(true);
  });
  test('one dimension far above the rest leaves steps to the others', () => {
    const vector = Float32Array.from({ length: 256 }, (_, i) => (i === 3 ? 1 : 0.01 * Math.sin(i)));
    const restored = restore(quantize(vector));
    const norm = Math.hypot(...vector);
    for (const i of [10, 100, 200]) expect(Math.abs((restored[i] ?? 0) - (vector[i] ?? 0) / norm)).toBeLessThan(0.004);
  });
});
