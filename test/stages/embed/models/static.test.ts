import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../config/load.js';
import { isLocal, modelsSchema } from '../../../../config/models.js';
import { bytesInMemory, bytesOfFile } from '../../../../lib/embedding/byte-source.js';
import { quantiseRows, readStaticTable, writeStaticTable } from '../../../../lib/embedding/static-table.js';
import { packagePath } from '../../../../lib/package-root.js';
import { openStaticEmbedder } from '../../../../stages/embed/models/static.js';
import { temporaryFolder } from '../../../support/cli.js';

const vocabulary = ['[PAD]', '[UNK]', 'red', 'blue', '##ish'];
const D = 4;
const values = Float32Array.from([0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0.25, 1]);
const bytes = writeStaticTable({ dimensions: D, vocabulary, ...quantiseRows(values, D) });
const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  [...(a ?? [])].reduce((sum, x, d) => sum + x * (b?.[d] ?? 0), 0);

describe('static tables', () => {
  it.each([
    ['its own buffer', bytes],
    // A small file read by node lies in a shared pool, at an odd place: views must not start at the pool's beginning.
    ['a piece of a larger buffer', Buffer.concat([Buffer.alloc(13, 255), bytes]).subarray(13)],
  ])('are read from %s as they were written', (_, file) => {
    const table = readStaticTable(bytesInMemory(file), 'table.bin');
    expect(new TextDecoder().decode(table.vocabulary).split('\n')).toEqual(vocabulary);
    const singly = vocabulary.flatMap((_, id) => [...table.one(id)]);
    expect([...table.all()]).toEqual(singly);
    const back = singly.map((code, i) => code * (table.scales[Math.floor(i / D)] ?? 0));
    for (const [i, x] of back.entries()) expect(x).toBeCloseTo(values[i] ?? Number.NaN, 2);
  });

  it.each([
    ['another kind of file', Buffer.from('not a model at all, but long enough to be read')],
    ['a cut file', bytes.subarray(0, bytes.length - 1)],
    ['no bytes', Buffer.alloc(0)],
    ['a broken header', Buffer.concat([bytes.subarray(0, 21), Buffer.from('!!'), bytes.subarray(23)])],
  ])('refuse %s', (_, file) => {
    expect(() => readStaticTable(bytesInMemory(file), 'table.bin')).toThrowError(
      expect.objectContaining({ code: 'model-corrupt', file: 'table.bin' }),
    );
  });

  it('embed a text as the normalised sum of its tokens; nothing gives a zero vector', async () => {
    const embedder = openStaticEmbedder('t', bytesInMemory(bytes), 'table.bin');
    const [sum, same, nothing] = await embedder.embed(['Red blueish', 'red blueish', ' '], 'document');
    const length = Math.hypot(3, -0.5, 0.25, 1);
    for (const [d, x] of [3, -0.5, 0.25, 1].entries()) expect(sum?.[d]).toBeCloseTo(x / length, 2);
    expect(same).toEqual(sum);
    expect(nothing).toEqual(new Float32Array(D));
  });

  it('give a question the vector they give a document, from rows read one by one', async () => {
    const path = join(temporaryFolder('table'), 'table.bin');
    writeFileSync(path, bytes);
    const embedder = openStaticEmbedder('t', bytesOfFile(path), path);
    const [asked] = await embedder.embed(['Red blueish'], 'query');
    expect([asked]).toEqual(await embedder.embed(['Red blueish'], 'document'));
    expect([asked]).toEqual(await embedder.embed(['Red blueish'], 'query'));
    await embedder.close?.();
  });

  it('have another fingerprint when their numbers change', () => {
    const other = writeStaticTable({
      dimensions: D,
      vocabulary,
      ...quantiseRows(
        values.map((x) => x * 1.01),
        D,
      ),
    });
    const print = (file: Uint8Array): string => openStaticEmbedder('t', bytesInMemory(file), 'f').fingerprint;
    expect(print(other)).not.toBe(print(bytes));
    expect(print(Buffer.from(bytes))).toBe(print(bytes));
  });
});

describe('the model that ships', () => {
  const model = loadConfig('models', modelsSchema, { env: {} })['sluice-static'];
  const source = model && isLocal(model) ? model.sources[0] : undefined;
  if (!model || source?.from !== 'package') throw new Error('models.yaml does not list the shipped model.');
  const file = packagePath(...source.path.split('/'));

  it('is the file models.yaml names, at most 12 MB', () => {
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(source.sha256);
    expect(statSync(file).size).toBeLessThan(12e6);
  });

  it('knows what belongs together', async () => {
    const embedder = openStaticEmbedder('sluice-static', bytesOfFile(file), file);
    expect(embedder.dimensions).toBe(model.dimensions);
    const [question, answer, other] = await embedder.embed(
      ['speed up a slow SQL query', 'How to improve database performance with an index', 'A recipe for apple cake'],
      'query',
    );
    expect(cosine(question, question)).toBeCloseTo(1, 4);
    expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.2);
  });
});
