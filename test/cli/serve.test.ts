import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts it and resolves with its address once it listens. */
async function start(vault: string, state: string): Promise<{ child: ChildProcess; url: string; said: () => string }> {
  const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'serve', '--port', '0', '--vault', vault], {
    env: { PATH: process.env['PATH'], SLUICE_STATE: state },
  });
  children.push(child);
  let text = '';
  const url = await new Promise<string>((done, fail) => {
    child.stderr?.on('data', (part: Buffer) => {
      text += part.toString();
      const address = /at (http:\S+)\./.exec(text)?.[1];
      if (address && text.includes('next at')) done(address);
    });
    child.on('close', () => fail(new Error(text)));
  });
  return { child, url, said: () => text };
}

describe('pipeline serve', () => {
  test('answers over HTTP, indexes what is written, keeps blocks, holds the schedule, and ends on SIGTERM', async () => {
    const vault = temporaryFolder('serve');
    const state = temporaryFolder('state');
    mkdirSync(join(vault, '.pipeline'));
    writeFileSync(
      join(vault, '.pipeline', 'blocks.yaml'),
      'blocks:\n  herons: { notes: [herons.md] }\n  auth-patterns: null\n  api-conventions: null\n  project-architecture: null\n',
    );
    writeFileSync(join(vault, 'a.md'), '# A\n\n## Start\n\nThe first note speaks of pelicans and nothing else.\n');
    expect((await runCli(['index', '--vault', vault], { state })).code).toBe(0);
    const { child, url, said } = await start(vault, state);

    const second = await runCli(['schedule', 'serve', '--vault', vault], { state });
    expect(second).toMatchObject({ code: 3, stderr: expect.stringContaining(`process ${child.pid}`) });

    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const paths = async (query: string): Promise<string[]> => {
      const answer: unknown = await client.callTool({ name: 'obsidian_search', arguments: { query } });
      return (answer as { structuredContent: { results: { file_path: string }[] } }).structuredContent.results.map(
        (result) => result.file_path,
      );
    };
    expect(await paths('pelicans')).toContain('a.md');
    writeFileSync(
      join(vault, 'herons.md'),
      '# Herons\n\n## Fishing\n\nHerons stand still until a fish forgets them.\n',
    );
    // Asks until the watcher has seen it; the test's own time limit ends a watcher that never does.
    while (!(await paths('herons fishing')).includes('herons.md')) expect(child.exitCode).toBeNull();
    while (!said().includes('block herons: built')) expect(await paths('herons')).toContain('herons.md');
    await client.close();

    const health = JSON.parse(readFileSync(join(dirname(dbOf(state)), 'schedule-health.json'), 'utf8'));
    expect(health).toMatchObject({ ok: true, pid: child.pid, jobs: [{ job: 'ingest' }, { job: 'index' }] });
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said()).not.toMatch(/locked|being written|Error/);
  }, 60_000);
});

/** The index of the only vault in a state folder. */
function dbOf(state: string): string {
  const [folder = ''] = readdirSync(join(state, 'vaults'));
  return join(state, 'vaults', folder, 'index.db');
}
