/**
 * Secrets of every pattern, made at run time, planted in everything that comes in; then everything is run, and no byte
 * of any of them may be found in what was written or said: state folder, database and WAL, notes, stdout, stderr.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../config/secrets.js';
import { packagePath } from '../../lib/package-root.js';
import { type CliResult, runCli, temporaryFolder } from '../support/cli.js';
import { type Loopback, startLoopback } from '../support/loopback.js';
import { fillShape, seeded } from '../support/secret-shapes.js';

const vault = temporaryFolder('canary-vault');
const state = temporaryFolder('canary-state');
const random = seeded(20_261_201);
const shapes = Object.values(loadSecrets({ env: {} }).patterns).map((rule) => rule.shape ?? '');
/** Value of each canary -> where it was planted. Shorter parts could turn up by chance. */
const canaries = new Map<string, string>();
const planted = new Set<string>();
const said: string[] = [];
let server: Loopback;

function canary(shape: string, where: string): string {
  const { text, parts } = fillShape(shape, random);
  for (const part of parts.filter((p) => p.length >= 12)) canaries.set(part, where);
  return text;
}
/** A text with a fresh secret of every pattern, one a paragraph. */
const everyPattern = (where: string): string => shapes.map((shape) => canary(shape, where)).join('\n\n');
/** A token that fits into a title, a file name or a query. */
const token = (where: string): string => canary('ghp_{alnum:36}', where);

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(vault, path)), { recursive: true });
  writeFileSync(join(vault, path), text);
  planted.add(path);
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** Enough about security for the item to be filed, whatever it carries. */
const BODY =
  'How to rotate OAuth refresh tokens in TypeScript: configure the grace window, write the migration, test it, and deploy the fix for the vulnerability. ';

async function run(args: readonly string[], input?: string): Promise<CliResult> {
  const result = await runCli([...args, '--vault', vault], { state, ...(input === undefined ? {} : { input }) });
  said.push(result.stdout, result.stderr);
  return result;
}

beforeAll(async () => {
  const pages = new Map<string, string>();
  server = await startLoopback(({ path }, response) => {
    response.setHeader('content-type', path.endsWith('.xml') ? 'application/rss+xml' : 'text/html');
    response.end(pages.get(path) ?? '');
  });
  const article = (title: string, text: string): string =>
    `<html><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${BODY.repeat(8)}</p>${text
      .split('\n\n')
      .map((p) => `<p>${escapeHtml(p)}</p>`)
      .join('')}<pre><code>${escapeHtml(everyPattern('page, code'))}</code></pre></article></body></html>`;
  pages.set('/post', article('Rotating refresh tokens', everyPattern('page')));
  pages.set('/marked', article('Bookmarked guide to rotation', 'plain'));
  const items = [
    `<item><title>Rotate ${token('feed title')} now</title><guid>g1</guid><link>${server.url}/post?token=${canary('{alnum:32}', 'feed link')}</link><description>short</description></item>`,
    `<item><title>Whole text in the feed</title><guid>g2</guid><link>${server.url}/none</link><description>${escapeHtml(
      `<p>${BODY.repeat(12)}</p><pre>${escapeHtml(everyPattern('feed'))}</pre>`,
    )}</description></item>`,
  ];
  pages.set('/feed.xml', `<rss version="2.0"><channel><title>Canaries</title>${items.join('')}</channel></rss>`);
  plant(
    'marks.html',
    `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="${server.url}/marked" ADD_DATE="1700000000">Guide ${token('bookmark title')}</A></DL>`,
  );
  plant(
    'mail/one.eml',
    `From: News <news@example.test>\r\nTo: me@example.test\r\nSubject: Weekly ${token('mail subject')}\r\nDate: Tue, 06 Jan 2026 10:00:00 +0000\r\nMessage-ID: <1@example.test>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${BODY.repeat(8)}\r\n\r\n${everyPattern('mail').replaceAll('\n', '\r\n')}\r\n`,
  );
  plant('.pipeline/config.yaml', 'config:\n  http: { allowPrivateHosts: true, respectRobots: false }\n');
  plant(
    '.pipeline/sources.yaml',
    `sources:\n  - { name: blog, kind: feed, url: ${server.url}/feed.xml }\n  - { name: marks, kind: bookmarks, url: marks.html }\n  - { name: letters, kind: mail, url: mail }\n`,
  );
  plant(
    'notes/oauth-debug.md',
    `---\ntitle: OAuth debug ${token('frontmatter title')}\ntags: [auth, ${canary('glpat-{low:20}', 'tag')}]\napi_key: ${canary('{alnum:32}', 'frontmatter')}\nsource: https://u:${canary('{alnum:20}', 'frontmatter URL')}@example.test/x\n---\n\n# OAuth debug\n\n## Tokens seen\n\n${everyPattern('note')}\n\n## In code\n\n\`\`\`sh\n${everyPattern('code fence')}\n\`\`\`\n\n- [[${token('link')}]]\n`,
  );
  plant(
    `notes/${token('file name')}.md`,
    '# Named\n\n## Refresh tokens\n\nA note whose file name holds a credential, about rotation.\n',
  );
  plant(
    'notes/plain.md',
    '# Rotation\n\n## Grace window\n\nRefresh tokens are rotated with a grace window of thirty seconds.\n',
  );
}, 60_000);

afterAll(async () => {
  await server.close();
  for (const folder of [vault, state]) rmSync(folder, { recursive: true });
});

async function askOverMcp(): Promise<void> {
  const client = new Client({ name: 'canaries', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [packagePath('dist', 'cli', 'main.js'), 'mcp', '--verbose', '--vault', vault],
    env: { PATH: process.env['PATH'] ?? '', SLUICE_STATE: state },
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (part: Buffer) => said.push(part.toString()));
  await client.connect(transport);
  const calls: [string, Record<string, unknown>][] = [
    ['obsidian_search', { query: 'refresh tokens' }],
    ['obsidian_search', { query: `rotate ${token('MCP query')}` }],
    ['obsidian_read_note', { file_path: 'notes/oauth-debug.md' }],
    ['obsidian_list_notes', { limit: 20 }],
    ['obsidian_get_context', { topic: 'OAuth debug tokens' }],
    ['obsidian_read_note', { file_path: `notes/${token('MCP path')}.md` }],
  ];
  for (const [name, args] of calls) said.push(JSON.stringify(await client.callTool({ name, arguments: args })));
  await client.close();
}

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) yield path;
  }
}

/** Where each canary that got through was planted, and where it was found. Values are never part of a failure. */
function leaks(name: string, text: string): string[] {
  return [...canaries].flatMap(([value, where]) => (text.includes(value) ? [`${where} -> ${name}`] : []));
}

describe('canaries', () => {
  it('are planted, and everything runs', async () => {
    const ingest = await run(['run', 'ingest', '--verbose', '--json']);
    expect(ingest.code, ingest.stderr.slice(-600)).toBeLessThan(2);
    expect(JSON.parse(ingest.stdout)).toMatchObject({ in: 4 });
    // Index and search answer, so that their silence below means something.
    const found = await run(['search', 'grace window', '--json']);
    expect(found.code, `${found.stderr.slice(-600)} ${JSON.stringify(JSON.parse(ingest.stdout)).slice(0, 3000)}`).toBe(
      0,
    );
    expect(JSON.parse(found.stdout).count).toBeGreaterThan(0);
    await run(['search', `rotate ${token('query')}`, '--explain', '--verbose']);
    await run(['search', 'refresh tokens', '--json', '--limit', '20']);
    await run(['context', 'OAuth debug tokens']);
    await run(['blocks', 'build', '--force']);
    await run(['blocks', 'show', '--format', 'messages']);
    await run(['blocks', 'status', '--json']);
    await run(['context', 'OAuth debug tokens', '--blocks']);
    await run(['ledger', 'list', '--json']);
    await run(['trace', 'notes/oauth-debug.md', '--json']);
    await run(['trace', 'Whole text in the feed']);
    await run(['capture', `${BODY} ${everyPattern('capture')}`, '--title', `Kept ${token('capture title')}`]);
    const event = (name: string, output: string): string =>
      JSON.stringify({
        hook_event_name: name,
        tool_name: 'Bash',
        session_id: 's1',
        cwd: vault,
        tool_input: { command: `deploy --key ${token('tool input')} refresh tokens` },
        tool_response: { stdout: output },
      });
    await run(['hook', 'session'], event('SessionStart', ''));
    await run(['hook', 'context'], event('PreToolUse', ''));
    await run(['hook', 'capture'], event('PostToolUse', `${BODY.repeat(5)}\n${everyPattern('tool output')}`));
    await run(['hook', 'compress'], event('PostToolUse', `${BODY.repeat(30)}\n${everyPattern('tool output')}`));
    await run(['scrub', '--report', vault, '--json']);
    await run(['run', 'index', '--verbose', '--json']);
    // A crash: an error whose message and stack carry what the user typed.
    const crash = await run(['search', 'x', '--config', join(vault, `${token('crash')}.yaml`), '--verbose']);
    expect(crash.code).toBeGreaterThan(1);
    await askOverMcp();
    expect(canaries.size).toBeGreaterThan(1000);
  }, 600_000);

  it('are in no output', () => {
    expect(said.join('').length).toBeGreaterThan(5000);
    expect(said.flatMap((text, i) => leaks(`output ${i}`, text))).toEqual([]);
  });

  it('are in no file of the state folder: index, WAL, ledger, caches', () => {
    const files = [...filesIn(state)];
    expect(files.some((file) => file.endsWith('.db'))).toBe(true);
    expect(
      files.flatMap((file) => leaks(file.slice(state.length), `${file}\n${readFileSync(file, 'latin1')}`)),
    ).toEqual([]);
  });

  it('are in no note that was written', () => {
    const written = [...filesIn(vault)]
      .map((file) => file.slice(vault.length + 1))
      .filter((file) => !planted.has(file));
    expect(written.length).toBeGreaterThan(2);
    expect(written.flatMap((file) => leaks(file, `${file}\n${readFileSync(join(vault, file), 'latin1')}`))).toEqual([]);
  });
});
