/**
 * Ten minutes of real time: `pipeline serve` with a feed that changes every 5 seconds, a vault being edited and an MCP
 * client that searches. Prints errors, growth of memory and how long each new item took from its fetch to be found.
 * Usage: npx tsx tools/soak-serve.ts [MINUTES]; needs a build (`npm run build`).
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { packagePath } from '../lib/package-root.js';

const minutes = Number(process.argv[2] ?? 10);
const FEED_MS = 5000;
const WORDS = [
  'heron',
  'pelican',
  'avocet',
  'curlew',
  'plover',
  'godwit',
  'dunlin',
  'sanderling',
  'whimbrel',
  'turnstone',
];

const dir = mkdtempSync(join(tmpdir(), 'soak-'));
const [vault, state] = [join(dir, 'vault'), join(dir, 'state')];
mkdirSync(join(vault, '.pipeline'), { recursive: true });

/** Items by number: when the feed first gave them, and when a search first found them. */
const items: { name: string; fetched?: number; found?: number }[] = [];
const body =
  'Rotate refresh tokens on every use: how to migrate a service step by step, with benchmarks, code and pitfalls. '.repeat(
    12,
  );
const feed = createServer((_request, response) => {
  const now = Date.now();
  for (const item of items) item.fetched ??= now;
  const entries = items
    .slice(-30)
    .map(
      ({ name }) =>
        `<item><title>Guide to ${name} OAuth security in TypeScript</title><guid>${name}</guid><link>http://127.0.0.1/${name}</link><description>About ${name}. ${body}</description></item>`,
    );
  response.writeHead(200, { 'content-type': 'application/rss+xml' });
  response.end(`<rss version="2.0"><channel><title>Soak</title>${entries.join('')}</channel></rss>`);
});
await new Promise<void>((done) => feed.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${(feed.address() as AddressInfo).port}/feed.xml`;
writeFileSync(
  join(vault, '.pipeline', 'config.yaml'),
  'config:\n  http: { allowPrivateHosts: true, respectRobots: false, spacing: 0s }\n',
);
writeFileSync(
  join(vault, '.pipeline', 'sources.yaml'),
  `sources:\n  - { name: soak, kind: feed, url: "${address}" }\n`,
);
writeFileSync(
  join(vault, '.pipeline', 'schedule.yaml'),
  'schedule:\n  ingest: { cron: "* * * * *", timeZone: UTC, jitter: 0s }\n  index: { cron: "*/2 * * * *", timeZone: UTC }\n',
);
for (let i = 0; i < 500; i++)
  writeFileSync(
    join(vault, `n${i}.md`),
    `# Note ${i}\n\n## Birds\n\nThe ${WORDS[i % WORDS.length]} was seen ${i} times at the shore.\n`,
  );

const child = spawn(
  process.execPath,
  [packagePath('dist', 'cli', 'main.js'), 'serve', '--port', '0', '--vault', vault],
  {
    env: { ...process.env, SLUICE_STATE: state },
  },
);
let said = '';
const url = await new Promise<string>((done, fail) => {
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString();
    const found = /at (http:\S+)\./.exec(said)?.[1];
    if (found) done(found);
  });
  child.on('close', () => fail(new Error(said)));
});
const rssMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

const client = new Client({ name: 'soak', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
let [searches, errors] = [0, 0];
const times: number[] = [];
async function find(query: string): Promise<string> {
  const started = performance.now();
  const answer = await client.callTool({ name: 'obsidian_search', arguments: { query, limit: 10 } });
  times.push(performance.now() - started);
  searches++;
  if (answer.isError) {
    errors++;
    if (errors <= 5)
      console.log(`${Math.round(performance.now() / 1000)} s: ${JSON.stringify(answer.content).slice(0, 300)}`);
  }
  return JSON.stringify(answer);
}

const end = Date.now() + minutes * 60_000;
const warm = Date.now() + Math.min(60_000, minutes * 15_000);
let [first, most, n] = [0, 0, 0];
let nextItem = 0;
while (Date.now() < end) {
  const now = Date.now();
  if (now >= nextItem) {
    nextItem = now + FEED_MS;
    items.push({ name: `${WORDS[items.length % WORDS.length]}x${items.length}q` });
  }
  // A note is edited twice a second, as somebody who types and a program that syncs would.
  appendFileSync(join(vault, `n${n++ % 500}.md`), `\nEdit ${n}.\n`);
  await find(`${WORDS[n % WORDS.length]} at the shore`);
  for (const item of items) {
    if (item.fetched === undefined || item.found !== undefined) continue;
    if ((await find(`guide to ${item.name}`)).includes(item.name)) item.found = Date.now();
  }
  if (now > warm) {
    if (first === 0) first = rssMb();
    most = Math.max(most, rssMb());
  }
  await wait(500);
}
// A last look at what was fetched just before the end.
for (let i = 0; i < 20; i++) {
  for (const item of items)
    if (
      item.fetched !== undefined &&
      item.found === undefined &&
      (await find(`guide to ${item.name}`)).includes(item.name)
    )
      item.found = Date.now();
  await wait(500);
}
await client.close();
const done = new Promise((resolve) => child.once('close', resolve));
child.kill('SIGTERM');
const code = await done;
feed.close();
const fetched = items.filter((item) => item.fetched !== undefined);
const delays = fetched
  .flatMap(({ fetched: from = 0, found }) => (found === undefined ? [] : [found - from]))
  .sort((a, b) => a - b);
times.sort((a, b) => a - b);
console.log(
  `${minutes} min: ${fetched.length} items fetched, ${delays.length} found; from fetch to found p50 ${delays[delays.length >> 1] ?? '-'} ms, most ${delays.at(-1) ?? '-'} ms`,
);
console.log(
  `${searches} searches, ${errors} errors, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(0)} ms; ${n} edits; exit code ${String(code)}`,
);
console.log(
  `memory after warm-up ${first.toFixed(0)} MB, most ${most.toFixed(0)} MB, growth ${(most - first).toFixed(0)} MB`,
);
const bad = said.split('\n').filter((line) => /locked|being written|rror|failed/.test(line));
console.log(bad.length === 0 ? 'nothing was said of locks or errors' : bad.slice(0, 20).join('\n'));
rmSync(dir, { recursive: true, force: true });
process.exit(0);
