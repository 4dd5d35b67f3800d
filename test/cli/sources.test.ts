/** `pipeline sources` as shipped: the list is edited in place, feeds are tested anywhere. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace } from '../../workspace/workspace.js';
import { runCli, temporaryFolder } from '../support/cli.js';
import { type Loopback, startLoopback } from '../support/loopback.js';

const fixture = (name: string) => resolve('fixtures/feeds', name);
const json = (stdout: string) => JSON.parse(stdout) as Record<string, unknown> & { items: Record<string, unknown>[] };

function vault(sources?: string): string {
  const folder = temporaryFolder('vault');
  mkdirSync(join(folder, '.pipeline'));
  writeFileSync(join(folder, '.pipeline/config.yaml'), 'config: { http: { allowPrivateHosts: true } }\n');
  if (sources !== undefined) writeFileSync(join(folder, '.pipeline/sources.yaml'), sources);
  return folder;
}

let server: Loopback;
beforeAll(async () => {
  server = await startLoopback(({ path }, response) => {
    if (path === '/feed.xml') response.end(readFileSync(fixture('blog.rss.xml')));
    else if (path === '/')
      response.end('<html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head></html>');
    else response.writeHead(404).end();
  });
});
afterAll(() => server.close());

describe('pipeline sources test', () => {
  it('reads a file anywhere, in the shape of the contract', async () => {
    const run = await runCli(['sources', 'test', fixture('blog.rss.xml'), '--json'], { cwd: temporaryFolder('cwd') });
    expect(run.code).toBe(0);
    const { feed, items } = json(run.stdout);
    expect(feed).toMatchObject({
      title: 'Harbour Engineering & Notes',
      format: 'rss 2.0',
      encoding: 'utf-8',
      repaired: false,
    });
    expect(items[0]).toMatchObject({ id: 'harbour-1041', published_inferred: false, updated: null });
    expect(items[1]).toMatchObject({ published_inferred: true });
  });

  it('says what is wrong, exit 1', async () => {
    const page = join(temporaryFolder('page'), 'page.html');
    writeFileSync(page, '<!doctype html><html><head></head></html>');
    const run = await runCli(['sources', 'test', page, '--json']);
    expect(run.code).toBe(1);
    expect(json(run.stdout)).toMatchObject({ items: [], error: { code: 'feed-is-page', remedy: expect.any(String) } });
  });

  it('refuses what is neither file, address nor source, exit 2', async () => {
    const run = await runCli(['sources', 'test', 'nothing-there'], { cwd: temporaryFolder('cwd') });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('nothing-there');
  });
});

describe('the list of sources', () => {
  it('adds the feed a page names, once, and keeps comments and other entries', async () => {
    const folder = vault('sources:\n  # my favourite\n  - { name: Old, url: https://old.example/feed }\n');
    const add = () => runCli(['sources', 'add', `${server.url}/`, '--vault', folder, '--tags', 'x,y', '--json']);
    expect(json((await add()).stdout)['added']).toMatchObject([
      { name: 'Harbour Engineering & Notes', url: `${server.url}/feed.xml` },
    ]);
    expect(json((await add()).stdout)).toMatchObject({ added: [], known: [{ url: `${server.url}/feed.xml` }] });
    const text = readFileSync(join(folder, '.pipeline/sources.yaml'), 'utf8');
    expect(text).toContain('# my favourite');
    expect(text).toContain('https://old.example/feed');
    const { stdout } = await runCli(['sources', 'list', '--vault', folder, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'Old' },
      { name: 'Harbour Engineering & Notes', kind: 'feed', failures: 0, last_ok: null },
    ]);
  });

  it('does not add what cannot be read, unless told to', async () => {
    const folder = vault();
    const refused = await runCli(['sources', 'add', `${server.url}/missing`, '--vault', folder]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('404');
    expect((await runCli(['sources', 'add', `${server.url}/missing`, '--no-check', '--vault', folder])).code).toBe(0);
    expect((await runCli(['sources', 'remove', `${server.url}/missing`, '--vault', folder])).code).toBe(0);
    expect(JSON.parse((await runCli(['sources', 'list', '--vault', folder, '--json'])).stdout)).toEqual([]);
    expect((await runCli(['sources', 'remove', 'never-there', '--vault', folder])).code).toBe(2);
  });

  it('imports and exports OPML, reports the bad record, takes the rest', async () => {
    const folder = vault();
    const run = await runCli(['sources', 'import', fixture('subscriptions.opml'), '--vault', folder]);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('2 added, 0 there already, 1 not usable.');
    const again = await runCli(['sources', 'import', fixture('subscriptions.opml'), '--vault', folder]);
    expect(again.stdout).toContain('0 added, 2 there already');
    const opml = (await runCli(['sources', 'export', '--vault', folder])).stdout;
    expect(opml).toContain('<outline text="Databases" title="Databases">');
    expect(opml).toContain('xmlUrl="https://field.example/feed.json?a=1&amp;b=2"');
  });
});

it('list and doctor name what fails again and again and what fell silent, by the limits of the settings', async () => {
  const names = ['Fine', 'Once', 'Broken', 'Quiet', 'Empty', 'Off'];
  const enabled = (name: string) => (name === 'Off' ? ', enabled: false' : '');
  const entries = names.map((name) => `  - { name: ${name}, url: https://${name}.example/feed${enabled(name)} }`);
  const folder = vault(`sources:\n${entries.join('\n')}\n`);
  writeFileSync(join(folder, '.pipeline/config.yaml'), 'config: { sources: { failingAfter: 4, silentAfter: 30 } }\n');
  const stateDir = temporaryFolder('state');
  const workspace = await openWorkspace({ vault: folder, cwd: folder, env: {}, stateDir });
  const ledger = await workspace.resources.use('ledger');
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const read = { failures: 0, items: 3, lastOk: daysAgo(0), lastItem: daysAgo(1) };
  await ledger.setSourceState({ name: 'Fine', ...read });
  await ledger.setSourceState({ name: 'Once', ...read, failures: 1, lastError: 'answered 500' });
  for (const name of ['Broken', 'Off'])
    await ledger.setSourceState({ name, ...read, failures: 4, lastError: 'no such host' });
  await ledger.setSourceState({ name: 'Quiet', ...read, lastItem: daysAgo(40) });
  await ledger.setSourceState({ name: 'Empty', failures: 0, items: 0, firstOk: daysAgo(50), lastOk: daysAgo(0) });
  await workspace.close();
  const run = (...args: string[]) => runCli([...args, '--vault', folder], { state: stateDir });
  const listed = JSON.parse((await run('sources', 'list', '--json')).stdout) as { name: string; health: string }[];
  expect(listed.map(({ health }) => health)).toEqual(['ok', 'failed lately', 'failing', 'silent', 'silent', 'failing']);
  expect((await run('sources', 'list')).stdout).toContain('silent: nothing new for 40 day(s)');
  const { stdout } = await run('doctor');
  expect(stdout).toContain('1 source(s) fail, e.g. Broken: no such host');
  expect(stdout).toContain('nothing new from Quiet (40 days), Empty (50 days)');
});
