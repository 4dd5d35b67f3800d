import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

const vault = temporaryFolder('blocks-vault');
const state = temporaryFolder('blocks-state');
// Put together here so that no scanner takes the test for a leak.
const secret = ['ghp', 'a8Kq2Zt7Wm4Xc9Vb1Nn6Pl3Jh5Gf0Ds8Ry2E'].join('_');
const run = (...args: string[]) => runCli([...args, '--vault', vault], { state });
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

beforeAll(async () => {
  mkdirSync(join(vault, '.pipeline'));
  writeFileSync(
    join(vault, '.pipeline', 'blocks.yaml'),
    `blocks:
  auth: { vault_query: refresh token rotation, max_tokens: 300, ttl_hours: 24 }
  bread: { notes: [bread.md], max_tokens: 300, ttl_hours: 0.5 }
  auth-patterns: null
  api-conventions: null
  project-architecture: null
`,
  );
  writeFileSync(
    join(vault, 'auth.md'),
    `# Auth\n\n## Rotation\n\nRefresh token rotation happens on every use. Never paste ${secret} here.\n`,
  );
  writeFileSync(
    join(vault, 'bread.md'),
    '# Bread\n\n## Dough\n\nKnead the dough and let it rest overnight in the cold.\n',
  );
  expect((await run('index')).code).toBe(0);
}, 60_000);

describe('pipeline blocks', () => {
  test('builds, says what is current, and reports sizes, expiry and too short prefixes', async () => {
    const first = await json('blocks', 'build');
    expect(first.map((b: { name: string; change: string }) => [b.name, b.change])).toEqual([
      ['auth', 'built'],
      ['bread', 'built'],
    ]);
    const again = await run('blocks', 'build');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('auth: current') });
    expect(again.stderr).toContain('too few to be cached');
    const [auth] = await json('blocks', 'status');
    expect(auth).toMatchObject({ name: 'auth', files: ['auth.md'], stale: false });
    expect(Date.parse(auth.expires) - Date.parse(auth.built)).toBe(24 * 3_600_000);
    expect(auth.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await run('blocks', 'status')).stdout).toContain('expires in 24 h');
    expect((await run('blocks', 'list')).stdout).toContain('auth  300 tokens at most');
  });

  test('prints messages with a breakpoint for each term, longest first, and no secret', async () => {
    const { stdout } = await run('blocks', 'show', '--format', 'messages');
    expect(stdout).not.toContain(secret);
    const [message] = JSON.parse(stdout);
    expect(message.content.map((part: { cache_control: { ttl: string } }) => part.cache_control.ttl)).toEqual([
      '1h',
      '5m',
    ]);
    expect(message.content[0].text).toContain('[REDACTED:');
    const kept = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('auth.json'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(state, kept[0] ?? ''), 'utf8')).not.toContain(secret);
  });

  test('an unknown format, block and an overrun are said with what to do', async () => {
    expect(await run('blocks', 'show', '--format', 'rtf')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('messages'),
    });
    expect(await run('blocks', 'show', 'outh')).toMatchObject({ code: 2, stderr: expect.stringContaining('auth') });
    writeFileSync(join(vault, '.pipeline', 'config.yaml'), 'config:\n  session: { blocks: 30 }\n');
    const tight = await run('blocks', 'status');
    expect(tight.stdout).toContain('Leave out bread');
    writeFileSync(join(vault, '.pipeline', 'config.yaml'), 'config:\n  session: { blocks: 7000 }\n');
    expect(await run('blocks', 'status')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('sum to more than total'),
    });
    writeFileSync(join(vault, '.pipeline', 'config.yaml'), 'config: {}\n');
  });
});

describe('blocks are served', () => {
  test('by context --blocks, with a topic behind them or alone', async () => {
    const { stdout } = await run('context', 'dough', '--blocks');
    expect(stdout.indexOf('<block name="auth">')).toBe(0);
    expect(stdout.indexOf('# Notes on dough')).toBeGreaterThan(stdout.indexOf('</block>'));
    expect(await json('context', '--blocks')).toMatchObject({ blocks: ['auth', 'bread'], tokens: expect.any(Number) });
    expect((await run('context')).code).toBe(2);
  });

  test('by the SessionStart hook, once; what it gave is not given again before a tool', async () => {
    const hook = async (name: string, event: object) =>
      JSON.parse((await runCli(['hook', name, '--vault', vault], { state, input: JSON.stringify(event) })).stdout);
    const start = { hook_event_name: 'SessionStart', session_id: 's1', source: 'startup' };
    const { hookSpecificOutput } = await hook('session', start);
    expect(hookSpecificOutput).toMatchObject({
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('<block name="auth">'),
    });
    expect(JSON.stringify(hookSpecificOutput)).not.toContain(secret);
    expect(await hook('session', { ...start, source: 'resume' })).toEqual({});
    const tool = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'rotate refresh token rotation' },
    };
    expect(await hook('context', { ...tool, session_id: 's1' })).toEqual({});
    expect(await hook('context', { ...tool, session_id: 's2' })).toMatchObject({ hookSpecificOutput: {} });
  });

  test('as MCP resources', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [resolve('dist/cli/main.js'), 'mcp'],
        env: { PATH: process.env['PATH'] ?? '', SLUICE_STATE: state, VAULT_PATH: vault },
        stderr: 'ignore',
      }),
    );
    try {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['block://auth', 'block://bread']));
      const { contents } = await client.readResource({ uri: 'block://auth' });
      expect(contents).toMatchObject([
        { uri: 'block://auth', text: expect.stringContaining('Rotation happens'.slice(9)) },
      ]);
      expect(JSON.stringify(contents)).not.toContain(secret);
      await expect(client.readResource({ uri: 'block://nothing' })).rejects.toThrow(/no block named/);
    } finally {
      await client.close();
    }
  });
});
