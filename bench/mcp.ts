/**
 * The MCP server as a client sees it, on a vault that is indexed already:
 *   npx tsx bench/mcp.ts VAULT DB [CALLS]
 * Prints time from process start to the first answer, p50/p95 of searches, growth of memory over a soak with hostile calls.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { packagePath } from '../lib/package-root.js';

const [vault = '', db = '', count = '2000'] = process.argv.slice(2);
const calls = Number(count);
const started = performance.now();
const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'mcp', '--vault', vault, '--db', db], {
  stdio: ['pipe', 'pipe', 'ignore'],
});
const waiting = new Map<number, (answer: { result?: { isError?: boolean } }) => void>();
let stray = 0;
createInterface({ input: child.stdout }).on('line', (line) => {
  try {
    const message = JSON.parse(line) as { id?: number; jsonrpc?: string; result?: { isError?: boolean } };
    if (message.jsonrpc !== '2.0') stray++;
    waiting.get(message.id ?? -1)?.(message);
  } catch {
    stray++;
  }
});
let id = 0;
const send = (value: unknown): void =>
  void child.stdin.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
const ask = (method: string, params: object): Promise<{ result?: { isError?: boolean } }> =>
  new Promise((resolve) => {
    const mine = ++id;
    waiting.set(mine, (answer) => {
      waiting.delete(mine);
      resolve(answer);
    });
    send({ jsonrpc: '2.0', id: mine, method, params });
  });
const tool = (name: string, args: object) => ask('tools/call', { name, arguments: args });
/** Memory of the server's own (heap, buffers) and of mapped files, the index among them, in MB. */
function memory(): { own: number; mapped: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { own: of('RssAnon'), mapped: of('RssFile') };
}
const shown = ({ own, mapped }: { own: number; mapped: number }): string =>
  `${(own + mapped).toFixed(0)} MB (${own.toFixed(0)} own, ${mapped.toFixed(0)} mapped)`;

await ask('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
});
send({ jsonrpc: '2.0', method: 'notifications/initialized' });
await tool('obsidian_search', { query: 'connection pool' });
console.log(`first search after ${(performance.now() - started).toFixed(0)} ms`);

const queries = [
  'parse json stream',
  'network interface configuration',
  'python library for graphs',
  'logging',
  'font rendering',
  'DNS resolver',
  'unit test framework',
  'compress files',
  'database migration',
  'window manager',
];
const hostile: (() => Promise<unknown> | undefined)[] = [
  () => tool('obsidian_read_note', { file_path: '../../../etc/passwd' }),
  () => tool('obsidian_search', { query: 'x', unknown: 1 }),
  () => tool('obsidian_search', { query: 'y'.repeat(1_000_000) }),
  () => void send('{"jsonrpc": broken'),
  () => tool('no_such_tool', {}),
];
const times: number[] = [];
for (let i = 0; i < 100; i++) await tool('obsidian_search', { query: queries[i % queries.length] });
const before = memory();
for (let i = 0; i < calls; i++) {
  if (i > 0 && i % 500 === 0) console.log(`after ${i} calls ${shown(memory())}`);
  if (i % Math.max(1, Math.floor(calls / 50)) === 0) await hostile[(i * 7) % hostile.length]?.();
  else if (i % 4 === 0) await tool('obsidian_list_notes', { limit: 20, cursor: String((i * 20) % 1000) });
  else if (i % 9 === 0) await tool('obsidian_get_context', { topic: queries[i % queries.length] });
  else {
    const begun = performance.now();
    await tool('obsidian_search', { query: `${queries[i % queries.length]} ${i % 97}` });
    times.push(performance.now() - begun);
  }
}
times.sort((a, b) => a - b);
const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
console.log(
  `${calls} calls: search p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; RSS ${shown(before)} -> ${shown(memory())}; ${stray} lines that were not JSON-RPC; alive ${child.exitCode === null}`,
);
child.stdin.end();
