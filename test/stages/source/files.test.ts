/** The sources that are files: bookmarks, lists, mail, clippings. One bad record never costs the rest (CASES 20). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { intakeSteps } from '../../support/intake-steps.js';
import { startLoopback } from '../../support/loopback.js';

/** A folder with these files. */
function files(contents: Readonly<Record<string, string>>): string {
  const root = temporaryFolder('files');
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

it('reads 2,000 nested bookmarks with their folders, and reports the one that is none', async () => {
  let html = '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>';
  for (let depth = 0; depth < 20; depth++) html += `<DT><H3>Level ${depth}</H3><DL><p>`;
  for (let n = 0; n < 2000; n++) html += `<DT><A HREF="https://b.example/${n}" ADD_DATE="1700000000">Page ${n}</A>\n`;
  html += '<DT><A HREF="javascript:alert(1)">Bookmarklet</A>';
  const root = files({ 'bookmarks.html': `${html}${'</DL><p>'.repeat(21)}` });
  const { run, state } = intakeSteps({
    steps: '[bookmarks: {}]',
    root,
    sources: [{ kind: 'bookmarks', url: 'bookmarks.html' }],
  });
  const { articles, report } = await run();
  expect(articles).toHaveLength(2000);
  expect(articles[1999]).toMatchObject({ url: 'https://b.example/1999', title: 'Page 1999', publishedInferred: true });
  expect(articles[0]?.tags).toEqual(
    expect.arrayContaining([expect.stringMatching(/level.0/i), expect.stringMatching(/level.19/i)]),
  );
  expect(JSON.stringify(report.notices)).toContain('javascript:');
  expect(await state()).toMatchObject({ failures: 0, lastOk: expect.any(String) });
});

it('a damaged export is a failure of its source with a reason, and the next source is read', async () => {
  const root = files({
    'torn.json': '{"roots": {"bookmark_bar": {"chil',
    'links.txt': '# mine\nhttps://a.example/1 First page\n[Second](https://a.example/2)\n',
  });
  const sources = [
    { kind: 'bookmarks', url: 'torn.json' },
    { kind: 'bookmarks', url: 'gone.html' },
    { kind: 'list', url: 'links.txt' },
  ] as const;
  const { run, state } = intakeSteps({ steps: '[bookmarks: {}, url-list: {}]', root, sources });
  const { articles, report } = await run();
  expect(articles.map(({ url, title }) => [url, title])).toEqual([
    ['https://a.example/1', 'First page'],
    ['https://a.example/2', 'Second'],
  ]);
  expect(report.failed.map(({ id }) => id)).toEqual(['s0', 's1']);
  expect(await state('s0')).toMatchObject({ failures: 1, lastError: expect.any(String) });
});

it('reads a list from its address, and keeps what the server answered when it fails', async () => {
  const server = await startLoopback(({ path }, response) => {
    if (path === '/list') response.end('https://a.example/1\n');
    else response.writeHead(410).end();
  });
  const sources = ['/list', '/gone'].map((path) => ({ kind: 'list' as const, url: `${server.url}${path}` }));
  const { run, state } = intakeSteps({ steps: '[url-list: {}]', sources });
  const { articles } = await run();
  await run();
  await server.close();
  expect(articles).toHaveLength(1);
  expect((await state('s1'))?.lastError).toContain('410');
  expect(
    server.asked.filter(({ path }) => path === '/gone'),
    'a server that failed is not asked at once',
  ).toHaveLength(1);
});

const message = (subject: string, body: string): string =>
  `From: Ann <ann@news.example>\nList-Id: Weekly <weekly.news.example>\nSubject: ${subject}\nDate: Mon, 02 Nov 2026 10:00:00 +0000\nMessage-ID: <${subject}@news.example>\nContent-Type: text/html; charset=utf-8\n\n${body}\n`;
const story = ['first', 'second', 'third']
  .map((which, n) => `<p>A story about <a href="https://a.example/${n + 1}">the ${which} thing of the week</a>.</p>`)
  .join('');

it('reads a folder of messages, passes over one that is too large, and splits a digest when asked', async () => {
  const root = files({ 'mail/1.eml': message('One', story), 'mail/2.eml': message('Big', 'x'.repeat(40_000)) });
  const sources = [{ kind: 'mail', url: 'mail' }] as const;
  const whole = await intakeSteps({ steps: '[mail: { largest: 20kB }]', root, sources }).run();
  expect(whole.articles).toMatchObject([{ title: 'One', published: '2026-11-02T10:00:00.000Z' }]);
  expect(whole.articles[0]?.source.name).toContain('Weekly');
  expect(JSON.stringify(whole.report.notices)).toContain('2.eml');
  const split = await intakeSteps({ steps: '[mail: { largest: 20kB, split: ["*"] }]', root, sources }).run();
  expect(split.articles.map(({ url }) => url)).toEqual([1, 2, 3].map((n) => `https://a.example/${n}`));
});

it('takes the clippings of the inbox, in place, and nothing else', async () => {
  const clip = (more = '') => `---\ntitle: Clip\nsource: https://c.example/1\n${more}---\n\nClipped text.\n`;
  const root = files({
    '00-inbox/clip.md': clip(),
    '00-inbox/scored.md': clip('score: 0.7\n'),
    '00-inbox/own.md': '# A thought\n',
    '00-inbox/broken.md': '---\nsource: [https://c.example/\n---\n',
    '01-projects/clip.md': clip(),
  });
  const { run } = intakeSteps({ steps: '[inbox: {}]', root, sources: [{ kind: 'inbox', url: '00-inbox' }] });
  const { articles } = await run();
  expect(articles).toMatchObject([
    { notePath: '00-inbox/clip.md', url: 'https://c.example/1', markdown: 'Clipped text.' },
  ]);
});
