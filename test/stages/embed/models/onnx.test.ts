import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeOnnx } from '../../../../lib/embedding/onnx-writer.js';
import { createOnnxEmbedder, type OnnxModel } from '../../../../stages/embed/models/onnx.js';
import { bertForward } from '../../../support/bert-forward.js';
import { TINY, TINY_VOCABULARY, tinyBert, writeTinyModel } from '../../../support/tiny-bert.js';

const root = mkdtempSync(join(tmpdir(), 'sluice-onnx-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const model = (folder: string, rest: Partial<OnnxModel> = {}): OnnxModel => ({
  id: 'tiny',
  dimensions: TINY.dimensions,
  folder,
  maxTokens: 16,
  prompts: { query: '', document: '' },
  version: '1',
  threads: 1,
  ...rest,
});
const ids = (...tokens: string[]): number[] => ['[CLS]', ...tokens, '[SEP]'].map((t) => TINY_VOCABULARY.indexOf(t));
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

describe('the onnx embedder', () => {
  const folder = writeTinyModel(join(root, 'tiny'));

  it('gives the vectors of a forward pass written in plain TypeScript, in any batch', async () => {
    const embedder = createOnnxEmbedder(model(folder));
    // Lengths differ, so the short texts are padded and the mask has to keep the padding out.
    const texts = ['red', 'green blueish red red blue search', 'Blue, green'];
    const tokens = [
      ids('red'),
      ids('green', 'blue', '##ish', 'red', 'red', 'blue', 'search'),
      ids('blue', '[UNK]', 'green'),
    ];
    const vectors = await embedder.embed(texts, 'document');
    for (const [i, own] of tokens.entries()) {
      expect(cosine(vectors[i] as Float32Array, bertForward(tinyBert(), own))).toBeGreaterThan(0.99999);
    }
    const [alone] = await embedder.embed(['red'], 'document');
    expect(cosine(alone as Float32Array, vectors[0] as Float32Array)).toBeGreaterThan(0.99999);
    expect(cosine(vectors[0] as Float32Array, vectors[1] as Float32Array)).toBeLessThan(0.999);
    await embedder.close?.();
  });

  it('cuts long texts at the limit, keeps the closing token and counts them', async () => {
    const embedder = createOnnxEmbedder(model(folder, { maxTokens: 8 }));
    const long = 'red green '.repeat(500);
    const [cut, whole] = await embedder.embed([long, 'red green red green red green'], 'document');
    expect(embedder.truncated).toBe(1);
    expect(cosine(cut as Float32Array, whole as Float32Array)).toBeGreaterThan(0.99999);
    await embedder.close?.();
  });

  it('puts the prompt of its kind before a text, and the prompts into the fingerprint', async () => {
    const prompts = { query: 'search: ', document: '' };
    const prompted = createOnnxEmbedder(model(folder, { prompts }));
    const [query] = await prompted.embed(['red'], 'query');
    const [plain] = await prompted.embed(['search: red'], 'document');
    const [document] = await prompted.embed(['red'], 'document');
    expect(cosine(query as Float32Array, plain as Float32Array)).toBeGreaterThan(0.99999);
    expect(cosine(query as Float32Array, document as Float32Array)).toBeLessThan(0.999);
    expect(prompted.fingerprint).not.toBe(createOnnxEmbedder(model(folder)).fingerprint);
    expect(createOnnxEmbedder(model(folder)).fingerprint).toBe(createOnnxEmbedder(model(folder)).fingerprint);
    await prompted.close?.();
  });

  it('pools token states itself when the graph does not', async () => {
    const { words } = tinyBert();
    const graph = writeOnnx({
      name: 'words',
      nodes: [{ op: 'Gather', inputs: ['words', 'input_ids'], outputs: ['last_hidden_state'] }],
      weights: new Map([['words', words]]),
      integers: new Map(),
      inputs: new Map([
        ['input_ids', ['batch', 'tokens']],
        ['attention_mask', ['batch', 'tokens']],
        ['token_type_ids', ['batch', 'tokens']],
      ]),
      outputs: new Map([['last_hidden_state', ['batch', 'tokens', TINY.hidden]]]),
      opsets: new Map([['', 17]]),
    });
    const embedder = createOnnxEmbedder(model(writeTinyModel(join(root, 'words'), graph)));
    const [short] = await embedder.embed(['red', 'green green green blue'], 'document');
    const mean = Float32Array.from({ length: TINY.hidden }, (_, d) =>
      ids('red').reduce((sum, id) => sum + (words.data[id * TINY.hidden + d] ?? 0) / 3, 0),
    );
    const length = Math.sqrt(cosine(mean, mean));
    expect(cosine(short as Float32Array, mean) / length).toBeGreaterThan(0.99999);
    await embedder.close?.();
  });

  it('gives a zero vector for a blank text and stops at an aborted signal', async () => {
    const embedder = createOnnxEmbedder(model(folder));
    const [blank, red] = await embedder.embed([' \n', 'red'], 'document');
    expect([...(blank as Float32Array)].every((x) => x === 0)).toBe(true);
    expect(cosine(red as Float32Array, red as Float32Array)).toBeCloseTo(1, 5);
    await expect(embedder.embed(['red'], 'document', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    await embedder.close?.();
  });

  it('says what to do when the files are missing or give other dimensions', async () => {
    const gone = createOnnxEmbedder(model(join(root, 'nowhere')));
    await expect(gone.embed(['red'], 'document')).rejects.toMatchObject({
      code: 'model-failed',
      remedy: expect.stringContaining('pipeline models pull tiny'),
    });
    const wrong = createOnnxEmbedder(model(folder, { dimensions: 8 }));
    await expect(wrong.embed(['red'], 'document')).rejects.toMatchObject({ code: 'model-dimensions' });
    await wrong.close?.();
  });
});
