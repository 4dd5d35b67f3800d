/** Where the founders' shared data lies, for tests and benches that measure on it; undefined on any other machine. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Absolute path inside `../shared`, or undefined when it (or that file) is absent. SLUICE_SHARED overrides the search. */
export function sharedPath(...parts: string[]): string | undefined {
  const roots = [process.env['SLUICE_SHARED']];
  for (let at = resolve('.'); dirname(at) !== at; at = dirname(at)) roots.push(join(dirname(at), 'shared'));
  for (const root of roots) {
    if (root && existsSync(join(root, 'eval', 'README.md')) && existsSync(join(root, ...parts)))
      return join(root, ...parts);
  }
  return undefined;
}
