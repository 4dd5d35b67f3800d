/**
 * Opens a model of models.yaml as an embedder. Cheap: only its kind's code is loaded, and weights of transformers are
 * read by the first text.
 */
import { isLocal, type Model, type Models } from '../../../config/models.js';
import { bytesOfFile } from '../../../lib/embedding/byte-source.js';
import { findInstalled, type InstalledModel } from '../../../lib/models/installed.js';
import { packagePath } from '../../../lib/package-root.js';
import { ConfigError, messageOf, PipelineError, suggest } from '../../../runner/errors.js';
import type { HttpEmbedderTools } from './http.js';
import type { Embedder } from './types.js';

export interface OpenOptions extends HttpEmbedderTools {
  readonly models: Models;
  /** Where pulled models are. */
  readonly modelsDir: string;
}

/** `embed.model` of users who want keyword search only. */
export const NO_MODEL = 'none';

/**
 * @throws {PipelineError} `no-model` when the configuration asks for none or the model is not on this machine,
 *   `model-corrupt` for damaged files; callers go on with keyword search and say so.
 * @throws {ConfigError} `unknown-model`
 */
export async function openEmbedder(id: string, options: OpenOptions): Promise<Embedder> {
  if (id === NO_MODEL) {
    throw new PipelineError('no-model', 'No embedding model is configured: search is by keyword only.', {
      remedy: 'Choose one with `pipeline models use NAME`.',
    });
  }
  const model = findModel(id, options.models);
  if (!isLocal(model)) return (await import('./http.js')).createHttpEmbedder(id, model, options);
  const [source] = model.sources;
  if (source?.from === 'package') return openBundled(id, source.path);
  const installed = findInstalled(options.modelsDir, id);
  if (installed) return openInstalled(id, model, installed);
  throw new PipelineError('no-model', `The model ${id} is not on this machine.`, {
    remedy: `Fetch it with \`pipeline models pull ${id}\`.`,
  });
}

/** @throws {ConfigError} `unknown-model`, with the nearest name. */
export function findModel(id: string, models: Models): Model {
  const model = Object.hasOwn(models, id) ? models[id] : undefined;
  if (model) return model;
  throw new ConfigError('unknown-model', `There is no model named "${id}".`, {
    remedy: suggest(id, Object.keys(models)) || 'See `pipeline models list`.',
  });
}

/** Opens files that were pulled, or are about to be put in place. */
export async function openInstalled(id: string, model: Model, { folder, version }: InstalledModel): Promise<Embedder> {
  const { dimensions, prompts } = model;
  if (model.kind === 'model2vec')
    return (await import('./model2vec.js')).openModel2Vec(id, dimensions, folder, version);
  if (model.kind === 'onnx') {
    const { createOnnxEmbedder } = await import('./onnx.js');
    return createOnnxEmbedder({ id, dimensions, folder, maxTokens: model.maxTokens, prompts, version });
  }
  throw new ConfigError('unknown-model', `A model of kind ${model.kind} cannot be fetched.`, {
    remedy: 'Correct `kind` or `sources` in models.yaml.',
  });
}

async function openBundled(id: string, path: string): Promise<Embedder> {
  const { openStaticEmbedder } = await import('./static.js');
  const file = packagePath(...path.split('/'));
  try {
    return openStaticEmbedder(id, bytesOfFile(file), file);
  } catch (cause) {
    if (cause instanceof PipelineError) throw cause;
    throw new PipelineError('no-model', `The embedding model cannot be read: ${messageOf(cause)}.`, {
      file,
      cause,
      remedy: 'Install the package again.',
    });
  }
}
