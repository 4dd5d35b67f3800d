/** The feeds stage against a server with bad manners: what is asked, what is remembered, what is reported (CASES 12, 13). */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { type Source, sourceSchema } from '../../../config/sources.js';
import { trackingParamsSchema, urlCleanerFrom } from '../../../config/tracking-params.js';
import { openHttp } from '../../../lib/net/http.js';
import type { Article } from '../../../runner/items.js';
import { loadPipeline } from '../../../runner/load.js';
import { createResources } from '../../../runner/resources.js';
import { runPlan } from '../../../runner/run.js';
import type { AnyStage } from '../../../runner/stage.js';
import { dedupe } from '../../../stages/signal/dedupe.js';
import { feeds } from '../../../stages/source/feeds.js';
import { MemoryLedger } from '../../../store/memory-ledger.js';
import { sourceHealth } from '../../../store/source-state.js';
import { type RudeServer, startRudeServer } from '../../lib/net/rude-server.js';

const urlCleaner = urlCleanerFrom(loadConfig('tracking-params', trackingParamsSchema, { env: {} }));
const feed = readFileSync('fixtures/feeds/blog.rss.xml');
const start = Date.UTC(2026, 2, 1, 12);
const HOUR = 3_600_000;

let server: RudeServer;
beforeEach(async () => {
  server = await startRudeServer();
});
afterEach(() => server.close());

/** Runs only this stage; items are recorded as filed when `file` is true, as the observer of a whole run would. */
function harness(sources: readonly Partial<Source>[]) {
  const ledger = new MemoryLedger();
  const clock = { at: start, now: () => clock.at };
  const list = sources.map((source, index) => sourceSchema.parse({ name: `s${index}`, ...source }));
  const stages = [feeds, dedupe] as unknown as AnyStage[];
  const plan = loadPipeline(
    { file: 't.yaml', text: 'version: 1\nname: t\nsummary: t\nsteps: [feeds: {}, dedupe: {}]\n' },
    { registry: new Map(stages.map((stage) => [stage.name, stage])), env: {} },
  );
  const run = async ({ file = true } = {}) => {
    const resources = createResources({
      clock: () => clock,
      ledger: () => ledger,
      urlCleaner: () => urlCleaner,
      sources: () => ({
        list: async () => list,
        path: (url) => url,
        readFile: async (path) => readFileSync(path),
        limits: { maxFeedBytes: 2 ** 21, maxPageBytes: 2 ** 22, timeoutMs: 5000 },
      }),
      http: () =>
        openHttp({
          userAgent: 'Sluice test',
          concurrency: 4,
          perHost: 1,
          spacingMs: 0,
          redirects: 5,
          allowPrivateHosts: true,
          respectRobots: false,
          offline: false,
          clock,
        }),
    });
    const { items, report } = await runPlan<'Article'>(plan, { resources, clock, collect: true });
    await resources.close();
    for (const { data } of file ? items : []) await ledger.put(rowOf(data, clock.now()));
    return { articles: items.map(({ data }) => data), report };
  };
  return { run, clock, state: (name = 's0') => ledger.sourceState(name) };
}

function rowOf(article: Article, now: number) {
  const at = new Date(now).toISOString();
  const { key = '', source, title, aliases = [] } = article;
  const stored = JSON.stringify(article);
  return {
    id: key,
    source: source.name,
    title,
    outcome: 'written' as const,
    note: 'n.md',
    firstSeen: at,
    lastSeen: at,
    aliases,
    article: stored,
  };
}

const serveFeed = (path: string, headers: Record<string, string> = {}) =>
  server.on(path, (request, response) => {
    const unchanged = headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'];
    response.writeHead(unchanged ? 304 : 200, { 'content-type': 'text/html', ...headers }).end(unchanged ? '' : feed);
  });

describe('feeds', () => {
  it('gives articles with absolute addresses, and first-seen dates marked as such', async () => {
    serveFeed('/feed.xml');
    const { run } = harness([{ url: `${server.origin}/feed.xml`, tags: ['mine'] }]);
    const { articles } = await run();
    expect(articles).toHaveLength(2);
    expect(articles[0]).toMatchObject({
      guid: 'harbour-1041',
      published: '2026-02-03T08:15:00.000Z',
      author: 'Ida Vestergaard',
    });
    expect(articles[0]?.tags).toContain('mine');
    expect(articles[1]).toMatchObject({ publishedInferred: true, published: '2026-03-01T12:00:00.000Z' });
    expect(articles[1]?.title).toMatch(/^An item without title and link .{20,60}…$/);
  });

  it('asks conditionally, and takes 304 for nothing new', async () => {
    serveFeed('/feed.xml', { etag: '"v1"', 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT' });
    const { run, clock, state } = harness([{ url: `${server.origin}/feed.xml` }]);
    await run();
    clock.at += HOUR;
    const { articles, report } = await run();
    expect(articles).toEqual([]);
    expect(report.in).toBe(0);
    expect(server.seen[1]?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': 'Sun, 01 Mar 2026 10:00:00 GMT',
    });
    expect(await state()).toMatchObject({
      failures: 0,
      items: 2,
      lastOk: '2026-03-01T13:00:00.000Z',
      lastItem: '2026-03-01T12:00:00.000Z',
    });
  });

  it('asks in full again when the items of the last answer did not all get through', async () => {
    serveFeed('/feed.xml', { etag: '"v1"' });
    const { run } = harness([{ url: `${server.origin}/feed.xml` }]);
    await run({ file: false });
    expect((await run()).articles).toHaveLength(2);
    expect(server.seen[1]?.headers['if-none-match']).toBeUndefined();
  });

  it.each([
    ['seconds', '120', 120_000],
    ['a date', 'Sun, 01 Mar 2026 14:00:00 GMT', 2 * HOUR],
  ])('lets a source rest as long as a 429 says in %s, also in later runs', async (_, header, rest) => {
    server.on('/feed.xml', (_request, response) => void response.writeHead(429, { 'retry-after': header }).end());
    const { run, clock, state } = harness([{ url: `${server.origin}/feed.xml` }]);
    expect((await run()).report.failed).toMatchObject([{ id: 's0', code: 'source-status' }]);
    expect(await state()).toMatchObject({ failures: 1, pausedUntil: new Date(start + rest).toISOString() });
    clock.at = start + rest - 1000;
    const { report } = await run();
    expect(report.notices).toMatchObject([{ code: 'source-paused' }]);
    expect(server.seen).toHaveLength(1);
    clock.at = start + rest + 1000;
    serveFeed('/feed.xml');
    expect((await run()).articles).toHaveLength(2);
    expect(await state()).toMatchObject({ failures: 0 });
  });

  it('stops asking a host that refuses 30 feeds, and blames no feed that was not asked', async () => {
    const sources = Array.from({ length: 30 }, (_, index) => ({ url: `${server.origin}/refused/${index}` }));
    for (let index = 0; index < 30; index++)
      server.on(`/refused/${index}`, (_request, response) => void response.writeHead(403).end());
    const { run, state } = harness(sources);
    const { report } = await run();
    expect(server.seen.length).toBeLessThanOrEqual(6);
    expect(server.mostAtOnce()).toBe(1);
    expect(report.failed).toHaveLength(server.seen.length);
    expect(await state('s29')).toMatchObject({ failures: 0, lastError: expect.stringContaining('left alone') });
  });

  it('says that a feed has no items, and counts its silence from its first answer', async () => {
    const empty = '<rss version="2.0"><channel><title>Nothing yet</title></channel></rss>';
    server.on('/feed.xml', (_request, response) => void response.end(empty));
    const { run, clock, state } = harness([{ url: `${server.origin}/feed.xml` }]);
    expect((await run()).report.notices).toMatchObject([{ code: 'feed-no-items' }]);
    clock.at = start + 61 * 24 * HOUR;
    await run();
    expect(sourceHealth(await state(), { failingAfter: 3, silentAfter: 60 }, clock.at)).toBe('silent');
  });

  it('reads the others when one is broken, and keeps the reason', async () => {
    server.on('/page', (_request, response) => void response.end('<html><head><title>Gone</title></head></html>'));
    const { run, state } = harness([
      { url: `${server.origin}/page` },
      { url: 'http://127.0.0.1:1/nobody-there' },
      { url: 'no/such/file.xml' },
      { url: 'fixtures/feeds/damaged.rss.xml' },
    ]);
    const { articles, report } = await run();
    expect(articles).toHaveLength(3);
    expect(report.failed.map(({ id }) => id).sort()).toEqual(['s0', 's1', 's2']);
    for (const name of ['s0', 's1', 's2']) expect((await state(name))?.lastError?.length).toBeGreaterThan(10);
    expect(report.notices).toContainEqual({
      code: 'feed-repaired',
      message: expect.stringContaining('bare ampersands'),
    });
  });

  it('rests ever longer after failures in a row, a day at most', async () => {
    const { run, clock, state } = harness([{ url: 'no/such/file.xml' }]);
    const rests: number[] = [];
    for (let round = 0; round < 12; round++) {
      await run();
      const until = Date.parse((await state())?.pausedUntil ?? '');
      rests.push((until - clock.at) / 60_000);
      clock.at = until;
    }
    expect(rests.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(Math.max(...rests)).toBe(24 * 60);
  });

  it('asks no more often than the source wants', async () => {
    serveFeed('/feed.xml');
    const { run, clock } = harness([{ url: `${server.origin}/feed.xml`, every: 6 * HOUR }]);
    await run();
    clock.at += HOUR;
    expect((await run()).report).toMatchObject({ in: 0, notices: [] });
    expect(server.seen).toHaveLength(1);
  });
});
