/** Switches a vault to a model: checks that it can be opened, writes the choice down, says what the index still lacks. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { ConfigError } from '../../runner/errors.js';

/**
 * Sets `embed.model` in the user's settings file, made when missing; everything else in it, comments too, stays.
 * @throws {ConfigError} when the file is no YAML map.
 */
export function writeModelChoice(file: string, model: string): void {
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '');
  const [error] = document.errors;
  if (error || (document.contents !== null && !isMap(document.contents)))
    throw new ConfigError('yaml', error ? `${error.message}.` : 'The file is no YAML map.', {
      file,
      remedy: 'Fix the file, then choose the model again.',
    });
  if (document.getIn(['config', 'embed', 'model']) === model) return;
  document.setIn(['config', 'embed', 'model'], model);
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}.tmp`;
  writeFileSync(part, document.toString({ lineWidth: 0 }));
  renameSync(part, file);
}
