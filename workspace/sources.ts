/** The `sources` resource of one vault: its sources.yaml and the files it names. */
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Settings } from '../config/schema.js';
import { type Sources, sourcesSchema } from '../config/sources.js';
import { ConfigError, messageOf, PipelineError } from '../runner/errors.js';
import type { ResourceSetup } from './resources.js';

/** The name under which a pipeline refers to the vault's own list. */
const OWN_LIST = 'config/sources.yaml';

export function createSources({ places, settings, config }: ResourceSetup): Sources {
  return {
    limits: limitsOf(settings),
    async list(from = OWN_LIST) {
      return from === OWN_LIST ? config('sources', sourcesSchema) : readList(resolve(places.userDir, from));
    },
    path: (url) => filePath(url, places.vaultDir),
    async readFile(url, maxBytes) {
      const path = filePath(url, places.vaultDir);
      return readBounded(path, maxBytes);
    },
  };
}

function limitsOf({ http }: Settings): Sources['limits'] {
  return { maxFeedBytes: http.maxFeedBytes, maxPageBytes: http.maxPageBytes, timeoutMs: http.timeout };
}

function readList(file: string) {
  if (!existsSync(file))
    throw new ConfigError('sources-missing', 'The list of sources does not exist.', {
      file,
      remedy: 'Check `from` of the feeds step, or use config/sources.yaml.',
    });
  try {
    const document = parse(readFileSync(file, 'utf8')) as { sources?: unknown } | null;
    return sourcesSchema.parse(document?.sources);
  } catch (cause) {
    throw new ConfigError('sources-invalid', `The list of sources cannot be used: ${messageOf(cause)}`, {
      file,
      cause,
      remedy: 'It must hold `sources:` with a list of { name, kind, url }.',
    });
  }
}

/** A `file:` URL or a path; relative ones start at the vault. */
function filePath(url: string, vaultDir: string): string {
  if (url.startsWith('file:')) return fileURLToPath(url);
  return isAbsolute(url) ? url : join(vaultDir, url);
}

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxBytes)
      throw new PipelineError('source-too-large', `The file is ${size} bytes, more than ${maxBytes}.`, {
        file: path,
        remedy: 'Raise http.maxFeedBytes in config.yaml.',
      });
    return await file.readFile();
  } catch (cause) {
    if (cause instanceof PipelineError) throw cause;
    throw new PipelineError('source-unreadable', `The file cannot be read: ${messageOf(cause)}`, {
      file: path,
      cause,
      remedy: 'Check the path and its permissions.',
    });
  } finally {
    await file?.close();
  }
}
