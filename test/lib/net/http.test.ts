import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lookup } from '../../../lib/net/addresses.js';
import { type HttpSettings, openHttp } from '../../../lib/net/http.js';
import type { Http, HttpRequest } from '../../../lib/net/types.js';
import { systemClock } from '../../../runner/resources.js';
import { type RudeServer, startRudeServer } from './rude-server.js';

/** Every name lives on the loopback server; only the names listed as allowed may be connected to. */
const lookup: Lookup = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

const defaults: HttpSettings = {
  userAgent: 'Sluice/test (loopback)',
  concurrency: 4,
  perHost: 1,
  spacingMs: 0,
  redirects: 5,
  allowPrivateHosts: ['feeds.example', 'other.example'],
  respectRobots: true,
  offline: false,
  clock: systemClock,
  lookup,
};

let server: RudeServer;
let http: Http;
const opened: Http[] = [];

function open(options: Partial<HttpSettings> = {}): Http {
  const made = openHttp({ ...defaults, ...options });
  opened.push(made);
  return made;
}

function ask(path: string, more: Partial<HttpRequest> = {}, host = 'feeds.example'): HttpRequest {
  return { url: `http://${host}:${server.port}${path}`, maxBytes: 1024 * 1024, timeoutMs: 2000, ...more };
}

const text = (body: Uint8Array): string => new TextDecoder().decode(body);

beforeAll(async () => {
  server = await startRudeServer();
});
beforeEach(() => {
  http = open();
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await server.close();
});

describe('answers', () => {
  it('gives status, headers and body, and names itself', async () => {
    const response = await http.get(ask('/ok'));
    expect(response).toMatchObject({ status: 200, url: `http://feeds.example:${server.port}/ok` });
    expect(response.headers['content-type']).toBe('text/plain');
    expect(text(response.body)).toBe('hello');
    const sent = server.seen.at(-1)?.headers;
    expect(sent?.['user-agent']).toBe('Sluice/test (loopback)');
    expect(sent?.cookie).toBeUndefined();
  });

  it.each(['/gzip', '/br', '/raw-deflate'])('unpacks %s', async (path) => {
    expect(text((await http.get(ask(path))).body)).toBe('packed');
  });

  it('keeps what a cut-off gzip stream held', async () => {
    expect(text((await http.get(ask('/cut-gzip'))).body)).toContain('whole words whole words');
  });

  it('passes conditional headers and reports 304', async () => {
    const response = await http.get(ask('/not-modified', { headers: { 'if-none-match': '"v1"' } }));
    expect(response.status).toBe(304);
    expect(response.body).toHaveLength(0);
  });

  it('sends credentials of the address as a header, and not to another origin', async () => {
    server.on(
      '/away',
      (_, response) => void response.writeHead(302, { location: `http://other.example:${server.port}/ok` }).end(),
    );
    const url = `http://me:se%20cret@feeds.example:${server.port}/away`;
    const before = server.seen.length;
    await http.get(ask('/away', { url }));
    const [first, second] = server.seen.slice(before);
    expect(first?.headers.authorization).toBe(`Basic ${Buffer.from('me:se cret').toString('base64')}`);
    expect(second?.headers.authorization).toBeUndefined();
  });
});

describe('limits', () => {
  it.each([
    ['/bomb', 'http-too-large'],
    ['/large', 'http-too-large'],
    ['/announced-large', 'http-too-large'],
    ['/cut-off', 'http-failed'],
  ])('%s ends as %s, with memory bounded', async (path, code) => {
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    await expect(http.get(ask(path))).rejects.toMatchObject({ code });
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it.each(['/drip', '/silent'])('%s cannot outlast the time limit', async (path) => {
    const started = performance.now();
    await expect(http.get(ask(path, { timeoutMs: 150 }))).rejects.toMatchObject({ code: 'http-timeout' });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('stops at once when the caller aborts', async () => {
    const controller = new AbortController();
    const asking = http.get(ask('/drip', { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('enough')), 30);
    await expect(asking).rejects.toThrow('enough');
  });

  it('follows redirects, but not for ever', async () => {
    expect((await http.get(ask('/to-ok'))).url).toBe(`http://feeds.example:${server.port}/ok`);
    await expect(http.get(ask('/loop'))).rejects.toMatchObject({ code: 'http-redirects' });
  });
});

describe('addresses', () => {
  it.each(['/to-loopback', '/to-metadata'])('refuses the redirect %s', async (path) => {
    await expect(http.get(ask(path))).rejects.toMatchObject({ code: 'http-blocked' });
  });

  it('follows the same redirect when private addresses are allowed', async () => {
    const trusting = open({ allowPrivateHosts: true });
    expect((await trusting.get(ask('/to-loopback'))).status).toBe(200);
  });

  it.each([
    'http://127.0.0.1/',
    'http://0/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://169.254.169.254/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://localhost/',
    'http://nas.local./',
  ])('refuses %s as written', async (url) => {
    await expect(http.get(ask('/', { url }))).rejects.toMatchObject({ code: 'http-blocked' });
  });

  it('refuses a public name that resolves to a private address', async () => {
    await expect(http.get(ask('/ok', {}, 'rebound.example'))).rejects.toMatchObject({ code: 'http-blocked' });
  });

  it.each(['file:///etc/passwd', 'ftp://example.org/', 'javascript:alert(1)', 'not a url', ''])(
    'refuses %j',
    async (url) => {
      await expect(http.get(ask('/', { url }))).rejects.toMatchObject({ code: 'http-url' });
    },
  );

  it('refuses a redirect to a file', async () => {
    await expect(http.get(ask('/to-file'))).rejects.toMatchObject({ code: 'http-url' });
  });

  it('fetches nothing offline', async () => {
    const before = server.seen.length;
    await expect(open({ offline: true }).get(ask('/ok'))).rejects.toMatchObject({ code: 'http-offline' });
    expect(server.seen).toHaveLength(before);
  });
});

describe('manners', () => {
  it('asks one host one thing at a time, and leaves time between', async () => {
    const own = await startRudeServer();
    const polite = open({ spacingMs: 30 });
    await Promise.all(
      [1, 2, 3].map(() => polite.get({ ...ask('/slow'), url: `http://feeds.example:${own.port}/slow` })),
    );
    expect(own.mostAtOnce()).toBe(1);
    const starts = own.seen.map(({ at }) => at);
    // 60 ms of answering and 30 ms of rest; timers may be a millisecond early.
    for (const [index, at] of starts.entries())
      if (index > 0) expect(at - (starts[index - 1] ?? 0)).toBeGreaterThanOrEqual(85);
    await own.close();
  });

  it.each([
    ['/busy-seconds', 120_000],
    ['/busy-date', 300_000],
  ])('%s pauses the host for the stated time', async (path, ms) => {
    const careful = open();
    expect((await careful.get(ask(path))).status).toBe(429);
    const before = server.seen.length;
    const error = await careful.get(ask('/ok')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'http-paused' });
    const wait = (error as { retryAfterMs: number }).retryAfterMs;
    expect(wait).toBeGreaterThan(ms - 3000);
    expect(wait).toBeLessThanOrEqual(ms);
    expect(server.seen).toHaveLength(before);
    expect([...(careful.paused?.().keys() ?? [])]).toEqual([`feeds.example:${server.port}`]);
    expect((await careful.get(ask('/ok', {}, 'other.example'))).status).toBe(200);
  });

  it('a host that answers 403 to a burst of 30 is left alone after the third', async () => {
    const careful = open();
    const before = server.seen.length;
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => careful.get(ask('/forbidden'))));
    expect(server.seen.length - before).toBe(3);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of results.slice(3))
      expect((result as PromiseRejectedResult).reason).toMatchObject({ code: 'http-paused' });
  });

  it('obeys robots.txt for pages only, asking for it once', async () => {
    const own = await startRudeServer();
    own.on('/robots.txt', (_, response) => void response.end('User-agent: sluice\nDisallow: /private'));
    for (const path of ['/private', '/open', '/open2']) own.on(path, (_, response) => void response.end('page'));
    const url = (path: string) => `http://feeds.example:${own.port}${path}`;
    const reader = open();
    const get = (path: string, robots: boolean) => reader.get({ ...ask('/'), url: url(path), robots });
    await expect(get('/private', true)).rejects.toMatchObject({ code: 'http-robots' });
    expect((await get('/private', false)).status).toBe(200);
    expect((await get('/open', true)).status).toBe(200);
    expect((await get('/open2', true)).status).toBe(200);
    expect(own.seen.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
    await own.close();
  });

  it('goes through a proxy when the environment names one, except where it says not to', async () => {
    const proxy = await startRudeServer();
    const direct = `http://feeds.example:${server.port}/ok`;
    const behind = open({ proxy: { http: proxy.origin, noProxy: 'feeds.example' } });
    expect(text((await behind.get(ask('/ok', { url: direct }))).body)).toBe('hello');
    expect(proxy.seen).toHaveLength(0);
    proxy.on('http://public.example/page', (_, response) => void response.end('through the proxy'));
    const through = await behind.get(ask('/', { url: 'http://public.example/page' }));
    expect(text(through.body)).toBe('through the proxy');
    await proxy.close();
  });
});

it('a bad certificate is an error with a reason', async () => {
  // No certificate at all: the handshake fails like an expired or foreign one does.
  const tls = createTlsServer(() => undefined);
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  const { port } = tls.address() as AddressInfo;
  await expect(http.get(ask('/', { url: `https://feeds.example:${port}/` }))).rejects.toMatchObject({
    code: 'http-tls',
  });
  tls.close();
});
