/** fetch-page against a server of ours: what is asked for, and what becomes of an item whose page is not to be had. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Article } from '../../../runner/items.js';
import { type RudeServer, startRudeServer } from '../../lib/net/rude-server.js';
import { intakeSteps } from '../../support/intake-steps.js';

let web: RudeServer;
beforeEach(async () => {
  web = await startRudeServer();
});
afterEach(() => web.close());

const article = (path: string, change: Partial<Article> = {}): Article => ({
  source: { name: 'Feed', kind: 'feed' },
  url: `${web.origin}${path}`,
  title: 'A title',
  summary: 'A teaser.',
  published: '2026-11-01T00:00:00Z',
  tags: [],
  ...change,
});
const fetching = (options = '', more: { offline?: boolean } = {}) =>
  intakeSteps({ steps: `[fetch-page: { ${options} }]`, ...more });
const pagesAsked = () => web.seen.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path);

it('asks for the page of a short item only, by its clean address', async () => {
  web.on(
    '/short',
    (_, response) => void response.setHeader('content-type', 'text/html; charset=utf-8').end('<p>Käse</p>'),
  );
  const long = article('/long', { html: `<p>${'word '.repeat(300)}</p>` });
  const clean = article('/tracked', { canonicalUrl: `${web.origin}/short` });
  const { articles } = await fetching().run([long, clean, article('/has-text', { markdown: 'short' })]);
  expect(pagesAsked()).toEqual(['/short']);
  expect(articles.map(({ page }) => page)).toEqual([
    undefined,
    { url: `${web.origin}/short`, type: 'text/html', html: '<p>Käse</p>' },
    undefined,
  ]);
});

it('does not load what is no text', async () => {
  web.on('/paper', (_, response) => void response.setHeader('content-type', 'application/pdf').end('%PDF'));
  const { articles } = await fetching().run([article('/paper')]);
  expect(articles[0]?.page).toEqual({ url: `${web.origin}/paper`, type: 'application/pdf', html: '' });
});

it('keeps an item whose page is refused, gone or forbidden, and says why; a dead link without a word is dropped', async () => {
  web.on('/robots.txt', (_, response) => void response.end('User-agent: *\nDisallow: /closed'));
  web.on(
    '/inside',
    (_, response) => void response.writeHead(302, { location: `http://localhost:${web.port}/ok` }).end(),
  );
  const paths = ['/missing', '/closed', '/inside', '/to-metadata', '/loop', '/large'];
  const { articles, items, report } = await fetching().run([
    ...paths.map((path) => article(path)),
    article('/dead-link', { summary: '' }),
  ]);
  expect(articles.map(({ page, summary }) => [page, summary])).toEqual(paths.map(() => [undefined, 'A teaser.']));
  const said = items.map(({ trail }) => JSON.stringify(trail));
  for (const [at, why] of ['404', 'robots', 'private', 'private', 'redirects', 'larger'].entries())
    expect(said[at], paths[at]).toContain(why);
  expect(pagesAsked()).not.toContain('/closed');
  expect(pagesAsked()).not.toContain('/ok');
  expect(report).toMatchObject({ dropped: { 'page-gone': 1 }, failed: [] });
});

it('tries again what may pass, and fails the item when it does not; a host that asks for rest gets it', async () => {
  let tries = 0;
  web.on('/shaky', (_, response) => void (++tries < 3 ? response.writeHead(503) : response).end('<p>at last</p>'));
  web.on('/down', (_, response) => void response.writeHead(500).end());
  const { articles, report } = await fetching('onError: retry').run([article('/shaky'), article('/down')]);
  expect(articles.map(({ page }) => page?.html)).toEqual(['<p>at last</p>']);
  expect(report.failed).toMatchObject([{ code: 'page-status', reason: expect.stringContaining('500') }]);
  const before = pagesAsked().length;
  const resting = await fetching('onError: retry').run([article('/busy-seconds'), article('/shaky')]);
  expect(pagesAsked().slice(before)).toEqual(['/busy-seconds']);
  expect(resting.report.failed.map(({ code }) => code)).toEqual(['page-status', 'http-paused']);
});

it('asks nothing offline or with `when: never`', async () => {
  const offline = await fetching('', { offline: true }).run([article('/ok')]);
  const never = await fetching('when: never').run([article('/ok')]);
  expect([offline, never].map(({ articles }) => articles.length)).toEqual([1, 1]);
  expect(web.seen).toEqual([]);
});
