import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryFolder } from '../support/cli.js';

const vault = join(temporaryFolder('demo'), 'vault');
const state = temporaryFolder('demo-state');
let demo: CliResult;

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort();
const digest = (folder: string): string[] =>
  files(folder).map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
const notesIn = (folder: string): string[] => readdirSync(join(vault, folder)).filter((name) => name.endsWith('.md'));

beforeAll(async () => {
  demo = await runCli(['demo', '--keep', vault], { state });
}, 180_000);

describe('pipeline demo', () => {
  it('ends well and names the broken feed', () => {
    expect(demo.stderr).not.toMatch(/Error|Warning/);
    expect(demo.code).toBe(0);
    expect(demo.stdout).toMatch(/could not read Broken feed: .*500/);
    expect(demo.stdout).toMatch(/ingest: \d+ in, 0 out, 0 written/);
  });

  it('files notes in at least five domains and in the inbox, the duplicate once', () => {
    const domains = readdirSync(join(vault, '05-signals')).filter(
      (domain) => notesIn(`05-signals/${domain}`).length > 0,
    );
    expect(domains.length).toBeGreaterThanOrEqual(5);
    expect(notesIn('00-inbox').length).toBeGreaterThanOrEqual(3);
    const copies = files(vault).filter(
      (file) => file.endsWith('.md') && /^title: .*rotate OAuth refresh tokens/m.test(readFileSync(file, 'utf8')),
    );
    expect(copies).toHaveLength(1);
    expect(readFileSync(copies[0] ?? '', 'utf8')).toMatch(/Planet Patch/);
  });

  it('writes notes a person can read', () => {
    const [name = ''] = notesIn('05-signals/security').filter((n) => n.startsWith('How to rotate'));
    const note = readFileSync(join(vault, '05-signals/security', name), 'utf8');
    for (const part of [
      'title:',
      'type: signal',
      'domain: security',
      'status: active',
      '## Key points',
      '## Source',
      '/pages/oauth-rotation.html',
    ])
      expect(note).toContain(part);
  });

  it('leaves the planted secret nowhere: not in the vault, the index, the ledger or the output', () => {
    const feed = readFileSync('fixtures/demo/feeds/patchwork.xml', 'utf8');
    const token = /npm_[A-Za-z0-9]{36}/.exec(feed)?.[0] ?? '';
    expect(token).toHaveLength(40);
    const holders = [...files(vault), ...files(state)].filter((file) => readFileSync(file).includes(token));
    expect(holders).toEqual([]);
    expect(demo.stdout + demo.stderr).not.toContain(token);
  });

  it('changes no byte of the vault on another run, whose feeds are gone and named', async () => {
    const before = digest(vault);
    const again = await runCli(['run', 'ingest', '--vault', vault, '--json'], { state });
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({ written: 0, out: 0 });
    expect(digest(vault)).toEqual(before);
  });

  it('is searchable with every field scripts rely on', async () => {
    const { results } = JSON.parse(
      (await runCli(['search', 'rotate refresh tokens', '--format', 'json', '--vault', vault], { state })).stdout,
    ) as { results: Record<string, unknown>[] };
    expect(results[0]?.['file_path']).toMatch(/How to rotate OAuth/);
    for (const key of ['file_path', 'section', 'lines', 'text', 'score', 'bm25_rank', 'vec_rank'])
      expect(results[0]).toHaveProperty(key);
    expect(results.some((r) => typeof r['vec_rank'] === 'number')).toBe(true);
  });
});
