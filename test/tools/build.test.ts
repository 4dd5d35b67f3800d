import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

test('every chunk of the built package loads: no module was left out of it', () => {
  const folder = resolve('dist/chunks');
  const chunks = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(chunks.length).toBeGreaterThan(20);
  const load = `for (const file of ${JSON.stringify(chunks.map((name) => join(folder, name)))}) await import(file); process.exit(0);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', load], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
