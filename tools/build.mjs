// Builds dist/ from the sources: the declarations by the compiler, the code as a few bundled chunks, the shipped
// configuration as JSON (config/load.ts says why), then the executable bit that npm expects on a bin file.
//
// Why bundled: a command loads some 250 small modules of ours and of zod, yaml and the MCP SDK. Finding, reading and
// linking them took 0.5 s of the second that `pipeline search` needed on the 16,894-note vault; as chunks it is 0.1 s.
// What is imported with `import()` stays a chunk of its own and is read when it is used.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { bundleOptions } from './bundle.mjs';

/** Whether JSON keeps it. */
function isPlainData(value) {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlainData);
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);

await build({
  absWorkingDir: root,
  entryPoints: ['index.ts', 'cli/main.ts', 'lib/web/worker.ts'],
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  ...bundleOptions,
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  sourcemap: true,
});
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);

// The shipped configuration, read and checked once for all.
const schemas = join(root, 'dist', 'shipped-schemas.mjs');
await build({ ...bundleOptions, absWorkingDir: root, entryPoints: ['config/shipped.ts'], outfile: schemas });
const { shippedSchemas } = await import(pathToFileURL(schemas).href);
rmSync(schemas);
for (const name of readdirSync(join(root, 'config')).filter((n) => n.endsWith('.yaml'))) {
  const text = readFileSync(join(root, 'config', name));
  const key = name === 'default.yaml' ? 'config' : name.replace(/\.yaml$/, '');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const value = parse(text.toString('utf8'))[key];
  // What the environment decides, or what JSON cannot hold, is checked by each command.
  const checked = JSON.stringify(value).includes('${') ? undefined : shippedSchemas[key]?.parse(value);
  const built = { sha256, value, ...(isPlainData(checked) ? { checked } : {}) };
  writeFileSync(join(root, 'dist', 'config', `${key}.json`), JSON.stringify(built));
}
