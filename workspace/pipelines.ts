/** Finds pipeline files: the user's in `<vault>/.pipeline/pipelines/` first, then the shipped ones. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../lib/package-root.js';
import { ConfigError, suggest } from '../runner/errors.js';
import type { PipelineSource } from '../runner/load.js';

const YAML = '.yaml';

/** Pipeline names with their files; a user's file hides a shipped one of the same name. */
export function listPipelines(userDir: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const folders = [packagePath('pipelines'), ...(userDir === undefined ? [] : [join(userDir, 'pipelines')])];
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).sort()) {
      if (name.endsWith(YAML) && !name.endsWith(`.test${YAML}`))
        found.set(name.slice(0, -YAML.length), join(folder, name));
    }
  }
  return found;
}

/** Reads a pipeline by name, or by path when the name looks like one. */
export function readPipelineSource(name: string, userDir: string | undefined): PipelineSource {
  const known = listPipelines(userDir);
  const file = known.get(name) ?? (/[\\/.]/.test(name) && existsSync(name) ? name : undefined);
  if (file === undefined) {
    throw new ConfigError('unknown-pipeline', `There is no pipeline named "${name}".`, {
      remedy: suggest(name, [...known.keys()]) || 'See `pipeline check` for the list.',
    });
  }
  return { file, text: readFileSync(file, 'utf8') };
}
