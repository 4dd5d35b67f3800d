/** Builds dist/ once before the tests when a source is newer: command-line tests run what ships. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['runner', 'lib', 'store', 'stages', 'workspace', 'cli', 'config', 'index.ts'];

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return path.endsWith('.ts') ? stat.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

export function setup(): void {
  const built = existsSync('dist/cli/main.js') ? statSync('dist/cli/main.js').mtimeMs : 0;
  if (built > Math.max(...SOURCES.map(newest))) return;
  const run = spawnSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });
  if (run.status !== 0) throw new Error('The build fails; command-line tests cannot run.');
}
