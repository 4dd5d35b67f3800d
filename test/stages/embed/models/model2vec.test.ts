import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openModel2Vec } from '../../../../stages/embed/models/model2vec.js';
import { type Part, writeSafeTensors } from '../../../support/safetensors.js';
import { TINY_VOCABULARY, tinyTokenizer } from '../../../support/tiny-bert.js';

const root = mkdtempSync(join(tmpdir(), 'sluice-model2vec-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const D = 8;
/** Token t points along axis t % 8, its length growing with t. */
const table = Float32Array.from({ length: TINY_VOCABULARY.length * D }, (_, i) => {
  const token = Math.floor(i / D);
  return i % D === token % D ? 1 + token : 0;
});
const embeddings: Part = { dtype: 'F32', shape: [TINY_VOCABULARY.length, D], data: table };

let made = 0;
function folder(tensors: Readonly<Record<string, Part>> | Buffer, tokenizer: object = tinyTokenizer()): string {
  const path = join(root, String(made++));
  mkdirSync(path);
  writeFileSync(join(path, 'model.safetensors'), Buffer.isBuffer(tensors) ? tensors : writeSafeTensors(tensors));
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  return path;
}
const embedOne = async (path: string, text: string): Promise<Float32Array> =>
  (await openModel2Vec('m', D, path, '1').embed([text], 'document'))[0] as Float32Array;
const row = (token: string): number => TINY_VOCABULARY.indexOf(token);

/** Unit vector of the sum of the rows of these tokens. */
function expected(...tokens: string[]): number[] {
  const sum = Array.from({ length: D }, (_, d) => tokens.reduce((s, t) => s + (table[row(t) * D + d] ?? 0), 0));
  const length = Math.hypot(...sum);
  return sum.map((x) => x / length);
}
const closeTo = (vector: Float32Array, values: readonly number[]): void => {
  expect(vector).toHaveLength(values.length);
  for (const [d, x] of vector.entries()) expect(x).toBeCloseTo(values[d] ?? Number.NaN, 2);
};

describe('Model2Vec models', () => {
  it('sums the rows of the tokens, without special and unknown ones', async () => {
    const path = folder({ embeddings });
    closeTo(await embedOne(path, 'Red blueish'), expected('red', 'blue', '##ish'));
    closeTo(await embedOne(path, 'red whatever'), expected('red'));
    closeTo(await embedOne(path, 'whatever'), Array(D).fill(0));
  });

  it('gives the same through the library when the tokenizer is of another make', async () => {
    const other = { ...tinyTokenizer(), normalizer: { type: 'Lowercase' }, pre_tokenizer: { type: 'Whitespace' } };
    closeTo(await embedOne(folder({ embeddings }, other), 'Red blueish whatever'), expected('red', 'blue', '##ish'));
  });

  it('reads half precision', async () => {
    // 1.0, -2.0, 0.5, 65504 and the smallest subnormal among zeros.
    const halves = new Uint16Array(TINY_VOCABULARY.length * D);
    halves.set([0x3c00, 0xc000, 0x3800, 0, 0, 0, 0, 0], row('red') * D);
    const path = folder({ embeddings: { dtype: 'F16', shape: [TINY_VOCABULARY.length, D], data: halves } });
    const length = Math.hypot(1, 2, 0.5);
    closeTo(await embedOne(path, 'red'), [1 / length, -2 / length, 0.5 / length, 0, 0, 0, 0, 0]);
  });

  it('reads shared rows and separate weights', async () => {
    const mapping = BigInt64Array.from(TINY_VOCABULARY, (_, t) => BigInt(t % 2 === 0 ? 5 : 6));
    const weights = Float64Array.from(TINY_VOCABULARY, (_, t) => t);
    const path = folder({
      embeddings,
      mapping: { dtype: 'I64', shape: [mapping.length], data: mapping },
      weights: { dtype: 'F64', shape: [weights.length], data: weights },
    });
    // green (6) reads row 5 weighted 6, red (5) reads row 6 weighted 5; rows 5 and 6 hold 6 and 7.
    const [five, six] = [6 * 6, 7 * 5];
    const length = Math.hypot(five, six);
    const values = Array(D).fill(0);
    values[5] = five / length;
    values[6] = six / length;
    closeTo(await embedOne(path, 'red green'), values);
  });

  it.each([
    ['no bytes', Buffer.alloc(3)],
    ['a header beyond its end', Buffer.from([255, 255, 0, 0, 0, 0, 0, 0, 123, 125])],
    ['a header that is no JSON', Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('no')])],
    ['no table', writeSafeTensors({ other: embeddings })],
    ['a cut table', writeSafeTensors({ embeddings }).subarray(0, 300)],
    ['an unknown type', writeSafeTensors({ embeddings: { ...embeddings, dtype: 'Q4' } })],
  ])('refuses a file with %s', (_, bytes) => {
    expect(() => openModel2Vec('m', D, folder(bytes), '1')).toThrowError(
      expect.objectContaining({ code: 'model-corrupt', file: expect.stringContaining('model.safetensors') }),
    );
  });

  it('refuses a table of other dimensions than models.yaml says', () => {
    expect(() => openModel2Vec('m', 16, folder({ embeddings }), '1')).toThrowError(
      expect.objectContaining({ code: 'model-dimensions' }),
    );
  });
});
