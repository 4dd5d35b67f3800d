/** Finds files that ship with the package, both from sources and from dist/. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let root: string | undefined;

/** Absolute path inside the installed package, e.g. `packagePath('config', 'default.yaml')`. */
export function packagePath(...parts: string[]): string {
  if (!root) {
    let at = dirname(fileURLToPath(import.meta.url));
    while (!existsSync(join(at, 'package.json'))) at = dirname(at);
    root = at;
  }
  return join(root, ...parts);
}
