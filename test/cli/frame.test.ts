import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../cli/commands.js';
import { runCli, temporaryFolder } from '../support/cli.js';

describe('pipeline', () => {
  it('prints its version and help', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await runCli(['--version'])).stdout.trim()).toBe(version);
    const help = await runCli(['--help']);
    expect(help.code).toBe(0);
    for (const name of Object.keys(commands)) expect(help.stdout).toContain(name);
  });

  it.each(Object.keys(commands))('%s --help shows examples and exits 0', async (name) => {
    const help = await runCli([name, '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/Examples?:/);
  });

  it('suggests the nearest command and pipeline, exit 2', async () => {
    const command = await runCli(['serch']);
    expect(command.code).toBe(2);
    const pipeline = await runCli(['run', 'ingset', '--vault', temporaryFolder('vault')]);
    expect(pipeline.code).toBe(2);
    expect(pipeline.stderr).toContain('Did you mean "ingest"?');
  });

  it('names a missing vault and what to do, exit 2, nothing on stdout', async () => {
    const run = await runCli(['run', 'index', '--vault', '/no/such/vault']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('pipeline init /no/such/vault');
  });

  it('names file, line and remedy of a bad setting, exit 2', async () => {
    const vault = temporaryFolder('vault');
    mkdirSync(join(vault, '.pipeline'));
    writeFileSync(join(vault, '.pipeline/config.yaml'), 'config:\n  http:\n    timeot: 20s\n');
    const run = await runCli(['run', 'index', '--vault', vault]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/config\.yaml:3: unknown key "timeot"\. Did you mean "timeout"\?/);
    writeFileSync(join(vault, '.pipeline/config.yaml'), 'config: [unclosed\n');
    expect((await runCli(['run', 'index', '--vault', vault])).stderr).toMatch(/config\.yaml:2: /);
  });

  it('starts within three times of node itself and loads no heavy module for help', () => {
    const median = (args: readonly string[]): number => {
      const times = Array.from({ length: 10 }, () => {
        const started = performance.now();
        spawnSync(process.execPath, args);
        return performance.now() - started;
      });
      return times.sort((a, b) => a - b)[5] ?? 0;
    };
    const main = resolve('dist/cli/main.js');
    expect(median([main, '--version']) / median(['-e', '0'])).toBeLessThan(3);
    const trace = spawnSync(
      process.execPath,
      ['--import', resolve('test/support/list-modules.mjs'), main, 'run', '--help'],
      { encoding: 'utf8' },
    );
    expect(trace.status).toBe(0);
    const code = [...trace.stderr.matchAll(/^file:\S+\.js$/gm)].map(([url]) => readFileSync(new URL(url), 'utf8'));
    expect(code.some((text) => text.includes('CommanderError'))).toBe(true);
    expect(code.some((text) => text.includes('ZodError'))).toBe(false);
    expect(code.join('').length).toBeLessThan(150_000);
    expect(trace.stderr).not.toMatch(/jsdom|onnxruntime|better-sqlite3|sqlite-vec/);
  });
});

describe('check', () => {
  it('reports a misspelt key, a wrong neighbour and weights of 1.1, all with lines, exit 2', async () => {
    const folder = temporaryFolder('check');
    const file = join(folder, 'mine.yaml');
    writeFileSync(
      file,
      [
        'version: 1',
        'name: mine',
        'steps:',
        '  - feeds: { from: config/sources.yaml }',
        '  - fetch-page: { wen: short }',
        '  - score: { weights: { relevance: 0.45, actionability: 0.25, depth: 0.25, authority: 0.15 } }',
        '  - write-note: {}',
      ].join('\n'),
    );
    const run = await runCli(['check', file, '--json']);
    expect(run.code).toBe(2);
    const findings = JSON.parse(run.stdout) as { line: number; code: string; message: string; remedy?: string }[];
    expect(findings.map((f) => [f.line, f.code])).toEqual([
      [5, 'unknown-key'],
      [6, 'bad-value'],
      [7, 'wrong-neighbour'],
    ]);
    expect(findings[0]?.remedy).toContain('"when"');
    expect(findings[1]?.message).toMatch(/sum to 1/);
  });

  it('finds nothing wrong with what ships', async () => {
    expect(await runCli(['check', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});
