// Builds dist/ from the sources: one compiler run, the shipped configuration as JSON (config/load.ts says why), then the
// executable bit that npm expects on a bin file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);

for (const name of readdirSync(join(root, 'config')).filter((n) => n.endsWith('.yaml'))) {
  const text = readFileSync(join(root, 'config', name));
  const key = name === 'default.yaml' ? 'config' : name.replace(/\.yaml$/, '');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const value = parse(text.toString('utf8'))[key];
  writeFileSync(join(root, 'dist', 'config', `${key}.json`), JSON.stringify({ sha256, value }));
}
