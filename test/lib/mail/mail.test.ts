import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { htmlToText } from '../../../lib/feeds/html.js';
import { digestArticles, messageArticle } from '../../../lib/mail/articles.js';
import { unwrapLink } from '../../../lib/mail/links.js';
import { messagesAt } from '../../../lib/mail/mailbox.js';
import { mendText } from '../../../lib/mail/mend.js';
import { readMessage } from '../../../lib/mail/message.js';
import { sharedPath } from '../../shared.js';

const NOW = Date.UTC(2026, 11, 1);
const context = { source: { name: 'Mail', kind: 'mail' }, tags: [], seenAt: '2026-12-01T00:00:00.000Z' } as const;

const newsletter = (body: string): Buffer =>
  Buffer.from(`From: Ann <ann@list.example>\r\nSubject: =?utf-8?Q?Wie_geht=E2=80=99s=3F?=\r\nDate: Fri, 20 Nov 2026 07:00:00 +0100
Message-ID: <m1@list.example>\r\nList-Id: Weekly Queues <weekly.list.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}`);

const target = 'https://site.example/post?id=7';
const page = `<html><body><div style="display:none;max-height:0">Preheader text</div>
<a href="https://track.example/web?u=https%3A%2F%2Flist.example%2Fissue%2F9">View in your browser</a>
<table><tr><td><h1>Issue 9</h1><p>Queues hold what waits. <a href="https://track.example/c?url=${encodeURIComponent(target)}">The long story of queues</a></p></td></tr></table>
<table><tr><th>n</th><th>ms</th></tr><tr><td>1</td><td>20</td></tr></table>
<img src="https://track.example/open.gif" width="1" height="1">
<table><tr><td><p>You receive this because you signed up. <a href="https://track.example/u">Unsubscribe</a></p></td></tr></table></body></html>`;

describe('readMessage', () => {
  it('gives list, date, subject and clean content', async () => {
    const message = await readMessage(newsletter(page), NOW);
    expect(message).toMatchObject({
      id: 'm1@list.example',
      subject: 'Wie geht’s?',
      from: 'Ann',
      list: 'Weekly Queues',
      date: '2026-11-20T06:00:00.000Z',
      webVersion: 'https://list.example/issue/9',
    });
    const text = htmlToText(message.html);
    expect(text).toContain('Queues hold what waits. The long story of queues');
    expect(text).not.toMatch(/Preheader|Unsubscribe|signed up|browser/);
    expect(message.html).toContain(`href="${target.replaceAll('&', '&amp;')}"`);
    expect(message.html).not.toContain('open.gif');
    expect(message.html.match(/<table/g)).toHaveLength(1);
  });

  it('reads plain text: paragraphs, links, no signature and no footer', async () => {
    const body =
      'First line\nsecond.\n\n- one\n- two\n\nSee https://a.example/x.\n\nTo unsubscribe, write to us.\n\n-- \nAnn';
    const message = await readMessage(Buffer.from(`Subject: t\nContent-Type: text/plain\n\n${body}`), NOW);
    expect(message.html).toBe(
      '<p>First line<br>second.</p>\n<ul><li>one</li><li>two</li></ul>\n<p>See <a href="https://a.example/x">https://a.example/x</a>.</p>',
    );
  });

  it('a long message that mentions unsubscribing loses no more than the block that does', async () => {
    const long = `<p>${'Words that matter. '.repeat(100)}</p><p>How to unsubscribe from a queue in code.</p>`;
    const { html } = await readMessage(newsletter(`<html><body>${long}</body></html>`), NOW);
    expect(htmlToText(html).length).toBeGreaterThan(1800);
  });
});

describe('articles', () => {
  it('a message is an article of its list', async () => {
    expect(messageArticle(await readMessage(newsletter(page), NOW), context)).toMatchObject({
      source: { name: 'Weekly Queues', kind: 'mail' },
      guid: 'm1@list.example',
      url: 'https://list.example/issue/9',
      author: 'Ann',
    });
  });

  it('a digest is an article a link, with the words around it', async () => {
    const items = [1, 2, 3].map(
      (n) =>
        `<p><a href="https://site.example/${n}">The story number ${n}</a> What number ${n} is about, in a sentence.</p>`,
    );
    const found = digestArticles(
      await readMessage(newsletter(`<html><body>${items.join('')}</body></html>`), NOW),
      context,
    );
    expect(found.map(({ url, title }) => [url, title])).toEqual(
      [1, 2, 3].map((n) => [`https://site.example/${n}`, `The story number ${n}`]),
    );
    expect(found[1]?.summary).toContain('What number 2 is about');
    expect(new Set(found.map(({ guid }) => guid))).toEqual(new Set([undefined]));
  });
});

describe('unwrapLink', () => {
  it.each([
    [`https://t.example/c?u=${encodeURIComponent('https://a.example/p?x=1')}`, 'https://a.example/p?x=1'],
    ['https://t.example/CL0/https:%2F%2Fa.example%2Fp/1/abc', 'https://a.example/p'],
    [
      `https://t.example/click/${Buffer.from('https://a.example/long/path').toString('base64url')}`,
      'https://a.example/long/path',
    ],
    [
      `https://t.example/r/${Buffer.from('{"e":"https://a.example/json"}').toString('base64url')}`,
      'https://a.example/json',
    ],
    ['https://a.example/login?next=https://b.example/', 'https://a.example/login?next=https://b.example/'],
    ['https://web.archive.org/web/2020/https://a.example/', 'https://web.archive.org/web/2020/https://a.example/'],
    ['https://a.example/plain', 'https://a.example/plain'],
  ])('%s', (link, expected) => {
    expect(unwrapLink(link)).toBe(expected);
  });
});

it('mends UTF-8 that was labelled Western, and nothing else', () => {
  expect(mendText('cafÃ© â€“ naÃ¯ve')).toBe('café – naïve');
  expect(mendText('café Ã la carte')).toBe('café Ã la carte');
  expect(mendText('plain')).toBe('plain');
});

describe('messagesAt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mail-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const all = async (path: string, maxBytes = 10_000) => {
    const problems: string[] = [];
    const bodies: string[] = [];
    for await (const { bytes } of messagesAt(path, { maxBytes, onProblem: (_, reason) => problems.push(reason) }))
      bodies.push(Buffer.from(bytes).toString());
    return { bodies, problems };
  };

  it('cuts an mbox, unquotes it, and passes over what is too large', async () => {
    const file = join(folder, 'box.mbox');
    writeFileSync(
      file,
      `From a\nSubject: 1\n\n>From here\nNot a From line\n\nFrom b\nSubject: 2\n\n${'x'.repeat(300)}\n\nFrom c\nSubject: 3\n\nend`,
    );
    const { bodies, problems } = await all(file, 200);
    expect(bodies).toEqual(['Subject: 1\n\nFrom here\nNot a From line\n\n', 'Subject: 3\n\nend']);
    expect(problems).toEqual(['the message is larger than 200 bytes']);
  });

  it('reads a Maildir without its temporary files', async () => {
    const box = join(folder, 'Maildir');
    for (const part of ['new', 'cur', 'tmp']) {
      mkdirSync(join(box, part), { recursive: true });
      writeFileSync(join(box, part, '1.host:2,S'), `Subject: ${part}\n\n`);
    }
    expect((await all(box)).bodies).toEqual(['Subject: cur\n\n', 'Subject: new\n\n']);
  });

  it('says what is missing', async () => {
    await expect(all(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'mail-missing' });
  });
});

const shared = sharedPath('eval', 'email');

describe.skipIf(shared === undefined)('the 66 messages of ../shared (skipped where they are absent)', () => {
  it('are all read; those with text give it, in the right characters', async () => {
    const files = readdirSync(shared ?? '', { recursive: true, encoding: 'utf8' })
      .map((name) => join(shared ?? '', name))
      .filter((file) => statSync(file).isFile());
    expect(files).toHaveLength(66);
    let withText = 0;
    for (const file of files) {
      const { html, subject } = await readMessage(readFileSync(file), NOW);
      expect(`${subject}${html}`, file).not.toContain('\ufffd');
      expect(html, file).not.toMatch(/[\x80-\x9f]/);
      if (htmlToText(html) !== '') withText++;
    }
    // The other ten hold no text: pictures only, empty parts, no body.
    expect(withText).toBe(56);
  });
});
