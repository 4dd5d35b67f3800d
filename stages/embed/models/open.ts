/** Opens the configured model as the `embedder` resource. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../../lib/package-root.js';
import { ConfigError, messageOf, PipelineError } from '../../../runner/errors.js';
import { openStaticEmbedder } from './static.js';
import type { Embedder } from './types.js';

export const BUNDLED_MODEL = 'sluice-static';

/**
 * @throws {PipelineError} `no-model` when the configuration asks for none or the model file is missing; callers go on
 * with keyword search and say so.
 */
export function openEmbedder(model: string): Embedder {
  if (model === 'none') {
    throw new PipelineError('no-model', 'No embedding model is configured: search is by keyword only.', {
      remedy: 'Set embed.model in config.yaml.',
    });
  }
  if (model !== BUNDLED_MODEL)
    throw new ConfigError('unknown-model', `There is no model named "${model}".`, {
      remedy: 'See `pipeline models list`.',
    });
  const file = packagePath('models', BUNDLED_MODEL, 'table.bin');
  try {
    return openStaticEmbedder(BUNDLED_MODEL, readFileSync(file), file);
  } catch (cause) {
    if (cause instanceof PipelineError) throw cause;
    throw new PipelineError('no-model', `The embedding model cannot be read: ${messageOf(cause)}.`, {
      file,
      cause,
      remedy: 'Install the package again.',
    });
  }
}
