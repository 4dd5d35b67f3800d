import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const check = (...args: string[]) =>
  spawnSync(process.execPath, ['tools/check-layers.mjs', ...args], { encoding: 'utf8' });

describe('layers', () => {
  it('hold in this tree', () => {
    const run = check();
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
  });

  it('are refused when the runner imports a stage or a stage imports a stage', () => {
    const root = mkdtempSync(join(tmpdir(), 'layers-'));
    for (const dir of ['runner', 'stages/a']) mkdirSync(join(root, dir), { recursive: true });
    writeFileSync(join(root, 'runner/x.ts'), "import { s } from '../stages/a/one.js';\n");
    writeFileSync(join(root, 'stages/a/one.ts'), "export const s = defineStage({ name: 'one' });\n");
    writeFileSync(join(root, 'stages/a/shared.ts'), 'export const t = 1;\n');
    writeFileSync(join(root, 'stages/a/two.ts'), "import { s } from './one.js';\nimport { t } from './shared.js';\n");
    const run = check(root);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('runner/x.ts: runner/ must not import stages/');
    expect(run.stderr).toContain('stages/a/two.ts: a stage must not import a stage (./one.js)');
    expect(run.stderr).not.toContain('shared.js');
  });
});
