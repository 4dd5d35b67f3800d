import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, serveHttp } from '../../../cli/mcp/http.js';
import { tokenOf } from '../../../cli/mcp/token.js';
import { openWorkspace, type Workspace } from '../../../workspace/workspace.js';
import { runCli, temporaryFolder } from '../../support/cli.js';

const vault = temporaryFolder('mcp-vault');
const state = temporaryFolder('mcp-state');
const env = { PATH: process.env['PATH'] ?? '', SLUICE_STATE: state, VAULT_PATH: vault };
// Put together here so that no scanner takes the test for a leak.
const secret = ['ghp', 'a8Kq2Zt7Wm4Xc9Vb1Nn6Pl3Jh5Gf0Ds8Ry2E'].join('_');

function write(path: string, text: string): void {
  mkdirSync(dirname(join(vault, path)), { recursive: true });
  writeFileSync(join(vault, path), text);
}

beforeAll(async () => {
  write(
    '03-resources/oauth.md',
    `---\ntitle: OAuth rotation\ntags: [auth]\nupdated: 2026-01-01\n---\n\n## Rotation\n\nRefresh tokens are rotated on every use, with a grace window of thirty seconds. Never paste ${secret} here.\n`,
  );
  write(
    '03-resources/bread.md',
    '# Bread\n\n## Dough\n\nKnead the dough for ten minutes and let it rest overnight in the cold.\n',
  );
  write(
    'long.md',
    `# Long\n\n${Array.from({ length: 3000 }, (_, i) => `## Part ${i}\n\nLine about herons number ${i}.\n`).join('\n')}`,
  );
  write('private/diary.md', 'Nobody may read this diary about tokens.\n');
  write(
    'vault-secret.md',
    '---\nsensitivity: secret\n---\n\nA secret-classed note about refresh tokens that MCP must not show.\n',
  );
  write('.indexignore', 'private/\n');
  symlinkSync('/etc/hosts', join(vault, 'hosts.md'));
  expect((await runCli(['run', 'index', '--vault', vault], { state })).code).toBeLessThan(2);
}, 120_000);

type Called = { structuredContent?: Record<string, unknown>; isError?: boolean; content: { text: string }[] };
const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<Called> =>
  (await client.callTool({ name, arguments: args })) as unknown as Called;

interface Progress {
  readonly progressToken: number;
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

async function stdioClient(...more: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve('dist/cli/main.js'), 'mcp', '--verbose', ...more],
      env,
      stderr: 'ignore',
    }),
  );
  return client;
}

/** Everything a client can do; the SDK's client validates every result against its output schema. */
async function exercise(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map((t) => t.name)).toEqual([
    'obsidian_search',
    'obsidian_read_note',
    'obsidian_list_notes',
    'obsidian_get_context',
  ]);
  for (const tool of tools) expect(tool.annotations?.readOnlyHint).toBe(true);
  expect(client.getInstructions()).toMatch(/vault of 4 notes/);

  const found = await call(client, 'obsidian_search', { query: 'refresh token rotation' });
  const results = found.structuredContent?.['results'] as { file_path: string; text: string }[];
  expect(results[0]?.file_path).toBe('03-resources/oauth.md');
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(results.map((r) => r.file_path)).not.toContain('vault-secret.md');

  const note = await call(client, 'obsidian_read_note', { file_path: '03-resources/oauth.md' });
  expect(note.structuredContent?.['text']).toContain('[REDACTED:');
  const long = await call(client, 'obsidian_read_note', { file_path: 'long.md', from_line: 100 });
  expect(long.structuredContent?.['next_line']).toBeGreaterThan(100);
  expect(String(long.structuredContent?.['text']).length).toBeLessThanOrEqual(20_000);

  const listed = await call(client, 'obsidian_list_notes', { folder: '03-resources', limit: 1 });
  expect(listed.structuredContent?.['next_cursor']).toBe('1');
  const block = await call(client, 'obsidian_get_context', { topic: 'token rotation' });
  expect(block.structuredContent?.['text']).toContain('03-resources/oauth.md:');

  const { resources } = await client.listResources();
  expect(resources.map((r) => r.uri)).toContain('vault://03-resources/oauth.md');
  const { contents } = await client.readResource({ uri: 'vault://03-resources/oauth.md' });
  expect((contents[0] as { text: string }).text).toContain('grace window');
  const { prompts } = await client.listPrompts();
  expect(prompts.map((p) => p.name)).toContain('debug_error');
  const prompt = await client.getPrompt({ name: 'debug_error', arguments: { error: 'ECONNRESET' } });
  expect(JSON.stringify(prompt)).toContain('ECONNRESET');
}

describe('over stdio', () => {
  let client: Client;
  beforeAll(async () => {
    client = await stdioClient();
  }, 60_000);
  afterAll(() => client.close());

  it('lists and calls everything', () => exercise(client));

  it('gives the hits that the command line gives', async () => {
    type Shown = { file_path: string; lines: number[] };
    const args = ['search', 'knead the dough', '--limit', '5', '--max-tokens', '2000', '--json', '--vault', vault];
    const cli = (JSON.parse((await runCli(args, { state })).stdout) as { results: Shown[] }).results;
    const mcp = (await call(client, 'obsidian_search', { query: 'knead the dough' })).structuredContent?.[
      'results'
    ] as Shown[];
    const shown = ({ file_path, lines }: Shown) => [file_path, lines];
    const secret = ({ file_path }: Shown) => file_path === 'vault-secret.md';
    expect(mcp[0]?.file_path).toBe('03-resources/bread.md');
    expect(mcp.map(shown).slice(0, 4)).toEqual(
      cli
        .filter((r) => !secret(r))
        .map(shown)
        .slice(0, 4),
    );
  });

  it('a cancelled call is not answered, and the next one is', async () => {
    const abort = new AbortController();
    const cancelled = client.callTool({ name: 'obsidian_get_context', arguments: { topic: 'dough' } }, undefined, {
      signal: abort.signal,
    });
    abort.abort('no longer wanted');
    await expect(cancelled).rejects.toThrow(/no longer wanted/);
    expect((await call(client, 'obsidian_search', { query: 'knead the dough' })).isError).toBeFalsy();
  });

  it('completes note paths, without those above the ceiling', async () => {
    const complete = async (value: string) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'vault://{+path}' },
          argument: { name: 'path', value },
        })
      ).completion.values;
    expect(await complete('03-res')).toEqual(
      expect.arrayContaining(['03-resources/oauth.md', '03-resources/bread.md']),
    );
    expect(await complete('bread')).toEqual(['03-resources/bread.md']);
    expect(await complete('vault-secret')).toEqual([]);
    const blocks = await client.complete({
      ref: { type: 'ref/resource', uri: 'block://{name}' },
      argument: { name: 'name', value: 'auth' },
    });
    expect(blocks.completion.values).toEqual(['auth-patterns']);
  });

  it.each([
    ['an unknown parameter by name', 'obsidian_search', { query: 'x', max_results: 3 }, /max_results/],
    ['a path outside the vault', 'obsidian_read_note', { file_path: '../../etc/passwd' }, /no note/],
    ['a link out of the vault', 'obsidian_read_note', { file_path: 'hosts.md' }, /no note/],
    ['an ignored path', 'obsidian_read_note', { file_path: 'private/diary.md' }, /no note/],
    ['a note above its ceiling', 'obsidian_read_note', { file_path: 'vault-secret.md' }, /no note/],
    [
      'a misspelt path, with the right one',
      'obsidian_read_note',
      { file_path: '03-resources/oatuh.md' },
      /Did you mean .*03-resources\/oauth\.md/,
    ],
    [
      'lines beyond the end',
      'obsidian_read_note',
      { file_path: '03-resources/oauth.md', from_line: 999 },
      /has \d+ lines/,
    ],
    ['a bad date range', 'obsidian_list_notes', { updated: 'the day before never' }, /date/],
  ])('refuses %s', async (_what, name, args, message) => {
    const refused = await call(client, name, args);
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toMatch(message);
  });

  it('keeps stdout to JSON-RPC, survives broken lines, and ends with its input', async () => {
    const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'mcp', '--verbose'], { env });
    let stdout = '';
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
    });
    const answered = new Promise<void>((done) => child.stdout.on('data', () => stdout.includes('"id":2') && done()));
    const send = (line: string): boolean => child.stdin.write(`${line}\n`);
    send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }),
    );
    send('{ this is not JSON');
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'obsidian_search', arguments: { query: 'herons' }, _meta: { progressToken: 7 } },
      }),
    );
    await answered;
    child.stdin.end();
    const code = await new Promise((done) => child.on('close', done));
    expect(code).toBe(0);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id?: number; method?: string; params?: Progress });
    for (const message of messages) expect(message.jsonrpc).toBe('2.0');
    // Progress was asked for: a line a stage, growing, all of them before the answer.
    const told = messages.flatMap(({ method, params }) =>
      method === 'notifications/progress' && params ? [params] : [],
    );
    expect(told.map(({ message }) => message)).toContain('match-text');
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, i) => i + 1));
    expect(told.every(({ progress, total, progressToken }) => progress <= total && progressToken === 7)).toBe(true);
    expect(messages.at(-1)?.id).toBe(2);
  });
});

describe('over HTTP', () => {
  let server: HttpServer;
  let workspace: Workspace;
  const token = 'a token of the test';

  beforeAll(async () => {
    workspace = await openWorkspace({ vault, cwd: vault, env: {}, stateDir: state, readOnly: true });
    server = await serveHttp(workspace, { host: '127.0.0.1', port: 0, token });
  });
  afterAll(async () => {
    await server.close();
    await workspace.close();
  });

  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return client;
  };

  it('lists and calls everything', async () => {
    const client = await connect();
    await exercise(client);
    await client.close();
  });

  it('serves eight clients at once', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, connect));
    const answers = await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 3 }, () => call(client, 'obsidian_search', { query: 'herons' })),
      ),
    );
    expect(answers.filter((a) => a.isError)).toEqual([]);
    await Promise.all(clients.map((c) => c.close()));
  });

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer nonsense' }, 401],
    ['a foreign Origin', { authorization: `Bearer ${token}`, origin: 'https://evil.example' }, 403],
    ['a session that does not exist', { authorization: `Bearer ${token}`, 'mcp-session-id': 'x' }, 404],
  ])('refuses %s', async (_what, headers, status) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    expect(response.status).toBe(status);
  });

  it('says whether it is well to anybody, and nothing else', async () => {
    const health = await fetch(new URL('/health', server.url));
    expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
    const bare = await openWorkspace({ vault, db: join(vault, '..', 'none.db'), cwd: vault, env: {}, readOnly: true });
    const other = await serveHttp(bare, { host: '127.0.0.1', port: 0, token });
    const ill = await fetch(new URL('/health', other.url));
    expect([ill.status, await ill.text()]).toEqual([503, '{"status":"no index"}']);
    await other.close();
    await bare.close();
  });

  it('takes its token from a file, and does not start open when there is none in it', async () => {
    const file = join(vault, '..', `token-${process.pid}`);
    const start = (): ReturnType<typeof runCli> =>
      runCli(['mcp', '--http', '--port', '0', '--vault', vault, '--token-file', file], { state });
    expect(await start()).toMatchObject({ code: 2, stderr: expect.stringContaining('openssl rand') });
    writeFileSync(file, '\n');
    expect(await start()).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
    expect(tokenOf({ tokenFile: file, token: 'given' }, {})).toBe('given');
    writeFileSync(file, 'from-file\n');
    expect(tokenOf({ tokenFile: file }, { SLUICE_TOKEN: 'from-env' })).toBe('from-file');
    expect(tokenOf({}, { SLUICE_TOKEN: 'from-env' })).toBe('from-env');
  });

  it('refuses a foreign Host and a huge body', async () => {
    const { request } = await import('node:http');
    const { hostname, port, pathname } = new URL(server.url);
    const status = await new Promise((done, fail) => {
      request({ hostname, port, path: pathname, method: 'POST', headers: { host: 'evil.example' } }, (r) =>
        done(r.statusCode),
      )
        .on('error', fail)
        .end('{}');
    });
    expect(status).toBe(403);
    const huge = await fetch(server.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: 'x'.repeat(2_000_000),
    }).then(
      (r) => r.status,
      () => 413,
    );
    expect(huge).toBe(413);
  });
});

// Last, because it adds notes.
describe('what other processes do', () => {
  const found = async (client: Client, query: string): Promise<string> =>
    JSON.stringify((await call(client, 'obsidian_search', { query })).structuredContent);

  it('a note indexed by another process is found at once', async () => {
    const client = await stdioClient();
    expect(await found(client, 'ospreys dive')).not.toContain('osprey.md');
    write('osprey.md', '# Osprey\n\n## Fishing\n\nOspreys dive feet first and turn the fish head forward.\n');
    expect((await runCli(['index', '--vault', vault], { state })).code).toBeLessThan(2);
    expect(await found(client, 'ospreys dive')).toContain('osprey.md');
    await client.close();
  });

  it('with --watch a note is found without anybody indexing it', async () => {
    const client = await stdioClient('--watch');
    write('kestrel.md', '# Kestrel\n\n## Hovering\n\nKestrels hover against the wind above one vole.\n');
    // The test's own time limit ends a watcher that never sees it.
    while (!(await found(client, 'kestrels hover')).includes('kestrel.md')) await client.ping();
    await client.close();
  });
});
