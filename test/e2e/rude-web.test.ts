/** `run ingest` as shipped against a server with the web's bad manners: what is stated, what is stored, what it costs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RudeServer, startRudeServer } from '../lib/net/rude-server.js';
import { runCli, temporaryFolder } from '../support/cli.js';

let web: RudeServer;
beforeEach(async () => {
  web = await startRudeServer();
});
afterEach(() => web.close());

interface Report {
  readonly written: number;
  readonly failed: readonly { readonly id: string; readonly code: string; readonly reason: string }[];
  readonly notices: readonly { readonly code: string; readonly message: string }[];
}
interface Listed {
  readonly name: string;
  readonly failures: number;
  readonly last_error: string | null;
  readonly paused_until: string | null;
}

/** A vault whose sources lie at `paths` of the server; only the name `localhost` may be private. */
function vaultOf(paths: readonly string[], timeout = '20s') {
  const vault = temporaryFolder('rude');
  const state = temporaryFolder('state');
  const own = join(vault, '.pipeline');
  mkdirSync(own);
  const http = `{ allowPrivateHosts: [localhost], spacing: 20ms, timeout: ${timeout} }`;
  writeFileSync(join(own, 'config.yaml'), `config: { http: ${http} }\n`);
  const sources = paths.map((path) => `  - { name: ${path}, kind: feed, url: http://localhost:${web.port}/${path} }`);
  writeFileSync(join(own, 'sources.yaml'), `sources:\n${sources.join('\n')}\n`);
  // The peak of memory, from the kernel.
  const preload = join(state, 'peak.mjs');
  writeFileSync(preload, "process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS));\n");
  const cli = (...args: string[]) =>
    runCli([...args, '--vault', vault, '--json'], { state, env: { NODE_OPTIONS: `--import=${preload}` } });
  return {
    async ingest() {
      const { code, stdout, stderr } = await cli('run', 'ingest');
      const report = JSON.parse(stdout.split('\n')[0] ?? '') as Report;
      return { code, report, peakKb: Number(/peak (\d+)/.exec(stderr)?.[1]) };
    },
    list: async () => JSON.parse((await cli('sources', 'list')).stdout) as Listed[],
    notes: () =>
      readdirSync(vault, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => readFileSync(join(vault, name), 'utf8')),
  };
}

const feed = (items: string): string =>
  `<rss version="2.0"><channel><title>F</title><link>https://f.example/</link>${items}</channel></rss>`;
const story =
  'How to upgrade PostgreSQL without downtime: measure first, then run the migration step by step and keep a plan to roll back. ';

it('30 feeds of one host that answers 403: three are asked, all say why, and the next run asks none', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `feed${n}`);
  for (const name of names) web.on(`/${name}`, (_, response) => void response.writeHead(403).end());
  const { ingest, list } = vaultOf(names);
  const { code, report } = await ingest();
  expect(code).toBe(1);
  expect(web.seen).toHaveLength(3);
  expect(web.mostAtOnce()).toBe(1);
  const gaps = web.seen.slice(1).map(({ at }, n) => at - (web.seen[n]?.at ?? at));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(19);
  expect(report.failed.map(({ reason }) => reason)).toEqual(Array(3).fill(expect.stringContaining('403')));
  const states = await list();
  expect(states.filter(({ failures }) => failures > 0)).toHaveLength(3);
  for (const { name, last_error, paused_until } of states)
    expect([last_error, paused_until], name).toEqual([expect.any(String), expect.any(String)]);
  await ingest();
  expect(web.seen).toHaveLength(3);
}, 120_000);

it.each([
  ['seconds', () => '7200', 7_200_000],
  ['a date', () => new Date(Date.now() + 10_800_000).toUTCString(), 10_800_000],
])(
  'Retry-After in %s is kept across runs',
  async (_, value, stated) => {
    web.on('/busy', (_request, response) => void response.writeHead(429, { 'retry-after': value() }).end());
    const { ingest, list } = vaultOf(['busy']);
    const asked = Date.now();
    await ingest();
    const [state] = await list();
    expect(Math.abs(Date.parse(state?.paused_until ?? '') - asked - stated)).toBeLessThan(60_000);
    const again = await ingest();
    expect(web.seen).toHaveLength(1);
    expect(again.report.notices).toContainEqual({ code: 'source-paused', message: expect.stringContaining('429') });
  },
  120_000,
);

it('a host that asks for rest on account of a page gets it from the next run too', async () => {
  const link = `http://localhost:${web.port}/busy-seconds`;
  const item = `<item><title>How to upgrade PostgreSQL</title><link>${link}</link></item>`;
  web.on('/list', (_, response) => void response.end(feed(item)));
  const { ingest } = vaultOf(['list']);
  const codes = async () => (await ingest()).report.failed.map(({ code }) => code);
  expect(await codes()).toEqual(['page-status']);
  const { length } = web.seen;
  expect(await codes()).toEqual([]);
  expect(web.seen).toHaveLength(length);
}, 120_000);

it('a page in another encoding than it says gives its text in the right characters', async () => {
  const page = (charset: string) =>
    `<html><head><meta charset="${charset}"><title>Zażółć gęślą jaźń</title></head><body><article><h1>Zażółć gęślą jaźń</h1>${`<p>Łódź, Kraków i Gdańsk mają wspólną bazę danych PostgreSQL. ${story}</p>`.repeat(8)}</article></body></html>`;
  web.on(
    '/utf8',
    (_, response) => void response.setHeader('content-type', 'text/html; charset=iso-8859-1').end(page('iso-8859-1')),
  );
  web.on(
    '/latin',
    (_, response) =>
      void response.setHeader('content-type', 'text/html; charset=utf-8').end(
        Buffer.from(
          page('iso-8859-2').replace(/[^\x00-\x7f]/g, (c) => LATIN2[c] ?? c),
          'latin1',
        ),
      ),
  );
  web.on(
    '/list',
    (_, response) =>
      void response.end(
        feed(
          ['utf8', 'latin']
            .map(
              (name) =>
                `<item><title>${story.slice(0, 40)} ${name}</title><link>http://localhost:${web.port}/${name}</link></item>`,
            )
            .join(''),
        ),
      ),
  );
  const { ingest, notes } = vaultOf(['list']);
  const { report } = await ingest();
  expect(report.failed).toEqual([]);
  const texts = notes();
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).toContain('Łódź, Kraków i Gdańsk mają wspólną bazę danych');
}, 120_000);

/** The Polish letters in ISO 8859-2, as the characters of those bytes in ISO 8859-1. */
const LATIN2: Readonly<Record<string, string>> = {
  Ł: '\xa3',
  ó: '\xf3',
  ź: '\xbc',
  ń: '\xf1',
  ż: '\xbf',
  ł: '\xb3',
  ć: '\xe6',
  ę: '\xea',
  ś: '\xb6',
  ą: '\xb1',
};

it('bombs, drips, huge bodies and ways into the private network cost a reason each and no memory', async () => {
  const item = `<item><title>How to upgrade PostgreSQL without downtime</title><link>https://f.example/1</link><description>${story.repeat(12)}</description></item>`;
  const serveGood = () => web.on('/good', (_, response) => void response.end(feed(item)));
  serveGood();
  const calm = await vaultOf(['good']).ingest();
  expect(calm.report.failed).toEqual([]);
  const paths = ['bomb', 'large', 'drip', 'silent', 'to-loopback', 'to-metadata', 'to-file', 'loop', 'good'];
  const { ingest, list, notes } = vaultOf(paths, '2s');
  const { report, peakKb } = await ingest();
  expect(Object.fromEntries(report.failed.map(({ id, code }) => [id, code]))).toEqual({
    bomb: 'http-too-large',
    large: 'http-too-large',
    drip: 'http-timeout',
    silent: 'http-timeout',
    'to-loopback': 'http-blocked',
    'to-metadata': 'http-blocked',
    'to-file': 'http-url',
    loop: 'http-redirects',
  });
  expect(web.seen.map(({ path }) => path)).not.toContain('/ok');
  expect(notes()).toHaveLength(1);
  for (const { name, failures, last_error } of await list()) {
    expect([name, failures]).toEqual([name, name === 'good' ? 0 : 1]);
    if (name !== 'good') expect(last_error, name).toEqual(expect.any(String));
  }
  expect(peakKb - calm.peakKb).toBeLessThan(50 * 1024);
}, 120_000);
