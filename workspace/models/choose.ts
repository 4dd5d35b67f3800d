/** Switches a vault to a model: checks that it can be opened, writes the choice down, says what the index still lacks. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { ConfigError } from '../../runner/errors.js';

const PATH = ['config', 'embed', 'model'];

/**
 * Sets `embed.model` in the user's settings file, made when missing. Where the key stands already only its value's bytes
 * change; the YAML library, which adds it otherwise, keeps comments but may move them to a line of their own.
 * @throws {ConfigError} when the file is no YAML map.
 */
export function writeModelChoice(file: string, model: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error || (document.contents !== null && !isMap(document.contents)))
    throw new ConfigError('yaml', error ? `${error.message}.` : 'The file is no YAML map.', {
      file,
      remedy: 'Fix the file, then choose the model again.',
    });
  const node = document.getIn(PATH, true);
  if (isScalar(node) && node.range) {
    const [from, to] = node.range;
    write(file, text.slice(0, from) + model + text.slice(to));
    return;
  }
  document.setIn(PATH, model);
  write(file, document.toString({ lineWidth: 0 }));
}

/** Whole or not at all: the settings are the user's. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}.tmp`;
  writeFileSync(part, text);
  renameSync(part, file);
}
