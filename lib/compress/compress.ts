/** Recognises tool output and makes it short. Pure. */
import { diffStat, eslint, generic, install, stackTrace, typescript } from './other.js';
import { cargoTest, goTest, jest, junit, pytest } from './tests.js';
import type { Compressed, Recognizer } from './types.js';

/** Most specific first. */
const RECOGNIZERS: readonly Recognizer[] = [
  pytest,
  cargoTest,
  goTest,
  jest,
  junit,
  eslint,
  typescript,
  diffStat,
  install,
  stackTrace,
];

const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Colours are removed and progress lines resolved first; the result is never longer than the input. */
export function compressOutput(text: string): Compressed {
  const plain = text.replace(COLOUR, '').replace(/\r\n/g, '\n');
  const lines = plain.split('\n').map((line) => line.slice(line.lastIndexOf('\r') + 1));
  for (const recognize of RECOGNIZERS) {
    const found = recognize(lines);
    if (found && found.text.length < text.length) return found;
  }
  const fallback = generic(lines);
  return fallback.text.length < text.length ? fallback : { kind: 'unchanged', text };
}
