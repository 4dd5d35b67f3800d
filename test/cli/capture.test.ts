import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

describe('capture', () => {
  it('keeps a text without its secrets, searchable at once, and keeps the same text once', async () => {
    const vault = temporaryFolder('capture');
    const state = temporaryFolder('state');
    const run = (...args: string[]) => runCli([...args, '--vault', vault, '--json'], { state });
    const secret = ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dcQzKm81'].join('_');
    const text = `Honour Retry-After before your own back-off when a server answers 429. Key ${secret}`;
    const first = JSON.parse(
      (await run('capture', text, '--domain', 'programming', '--tags', 'http,#retry')).stdout,
    ) as { path: string; change: string };
    expect(first).toMatchObject({ change: 'created' });
    expect(first.path).toMatch(/^00-inbox\//);
    const note = readFileSync(join(vault, first.path), 'utf8');
    expect(note).toMatch(/domain: programming/);
    expect(note).not.toContain(secret);
    const found = JSON.parse((await run('search', 'honour retry-after')).stdout) as {
      results: { file_path: string }[];
    };
    expect(found.results[0]?.file_path).toBe(first.path);
    expect(
      JSON.parse((await run('capture', text, '--domain', 'programming', '--tags', 'http,#retry')).stdout),
    ).toMatchObject({ change: 'unchanged', path: first.path });
  });

  it('puts what agents write apart, and promotes it for a human', async () => {
    const vault = temporaryFolder('capture');
    const state = temporaryFolder('state');
    const run = (...args: string[]) => runCli([...args, '--vault', vault, '--json'], { state });
    const { path } = JSON.parse(
      (await run('capture', 'The build needs Node 20.19 because of chokidar.', '--by', 'claude')).stdout,
    ) as { path: string };
    expect(path).toMatch(/^agent_learnings\//);
    const promoted = JSON.parse((await run('promote', path, '--to', '03-resources/programming')).stdout) as {
      to: string;
    };
    const note = readFileSync(join(vault, promoted.to), 'utf8');
    expect(note).toContain('reviewed: true');
    expect(note).toContain('written_by: claude');
    expect((await run('promote', promoted.to)).code).toBe(2);
  });

  it('refuses a blank text', async () => {
    expect((await runCli(['capture', ' ', '--vault', temporaryFolder('capture')])).code).toBe(2);
  });
});
