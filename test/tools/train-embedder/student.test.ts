import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/train-embedder/linear-algebra.js';
import { Student, type TrainingWeights } from '../../../tools/train-embedder/student.js';

const D = 6;
const TOKENS = 9;
const titles = [[0, 1], [2], [3, 3, 4]].map((ids) => Int32Array.from(ids));
const texts = [
  [1, 5],
  [2, 6, 7],
  [4, 8],
].map((ids) => Int32Array.from(ids));

function randomRows(seed: number, rows: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: rows * D }, () => random() - 0.5);
}

function unitRows(seed: number, rows: number): Float32Array {
  const values = randomRows(seed, rows);
  for (let i = 0; i < rows; i++) {
    const row = values.subarray(i * D, (i + 1) * D);
    const norm = Math.hypot(...row);
    for (let d = 0; d < D; d++) row[d] = (row[d] as number) / norm;
  }
  return values;
}

const teacherTitles = unitRows(2, 3);
const teacherTexts = unitRows(3, 3);

/** The loss that one step sees, at this table; a rate of zero leaves the table alone. */
function lossAt(table: Float32Array, weights: TrainingWeights): number {
  const { distance, contrastive, scores } = new Student(table.slice(), D).step(
    titles,
    texts,
    teacherTitles,
    teacherTexts,
    0,
    weights,
  );
  // `distance` is reported as the mean of titles and texts; the gradient is that of their sum.
  return 2 * distance + weights.contrastive * contrastive + weights.scores * scores;
}

describe('the student', () => {
  it.each([
    ['distance', { contrastive: 0, scores: 0, temperature: 0.5 }],
    ['contrastive loss', { contrastive: 1, scores: 0, temperature: 0.5 }],
    ['score distillation', { contrastive: 0, scores: 1, temperature: 0.5 }],
    ['all of them', { contrastive: 0.2, scores: 0.2, temperature: 0.1 }],
  ])('moves against the gradient of the %s', (_, weights) => {
    const start = randomRows(1, TOKENS);
    const moved = start.slice();
    // Adam's first step has the size of the rate and the sign of the gradient, so signs are what can be compared.
    new Student(moved, D).step(titles, texts, teacherTitles, teacherTexts, 1e-3, weights);
    let compared = 0;
    for (let i = 0; i < start.length; i++) {
      const at = (shift: number): number =>
        lossAt(
          start.map((x, j) => (j === i ? x + shift : x)),
          weights,
        );
      const slope = (at(1e-2) - at(-1e-2)) / 2e-2;
      if (Math.abs(slope) < 5e-3) continue;
      expect(Math.sign((moved[i] as number) - (start[i] as number)), `component ${i}, slope ${slope}`).toBe(
        -Math.sign(slope),
      );
      compared++;
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('learns its teacher on a small set, the same bytes each time, and leaves other tokens alone', () => {
    const weights = { contrastive: 0.2, scores: 0.2, temperature: 0.05 };
    const train = (): { table: Float32Array; first: number; last: number } => {
      const table = randomRows(1, TOKENS + 1);
      const student = new Student(table, D);
      const losses = Array.from({ length: 400 }, () =>
        student.step(titles, texts, teacherTitles, teacherTexts, 3e-2, weights),
      );
      return { table, first: losses[0]?.distance ?? 0, last: losses.at(-1)?.distance ?? 1 };
    };
    const { table, first, last } = train();
    expect(first).toBeGreaterThan(0.5);
    expect(last).toBeLessThan(0.1);
    expect(train().table).toEqual(table);
    expect(table.subarray(TOKENS * D)).toEqual(randomRows(1, TOKENS + 1).subarray(TOKENS * D));
  });
});
