import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBookmarks } from '../../../lib/bookmarks/read.js';
import { sharedPath } from '../../shared.js';

const NOW = Date.UTC(2026, 11, 1);
const read = (text: string) => readBookmarks(Buffer.from(text), NOW);

describe('readBookmarks', () => {
  it('reads Netscape HTML with folders, tags, dates and descriptions', () => {
    const file =
      read(`<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3><DL><p>
<DT><H3>Dev</H3><DL><p><DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1466009435" TAGS="one,two words">A &amp; B</A>
<DD>Why I kept it
<DT><A HREF="https://g.example/" ADD_DATE="1523996194943160">Google counts microseconds</A></DL><p></DL><p></DL>`);
    expect(file).toEqual({
      format: 'netscape',
      problems: [],
      bookmarks: [
        {
          url: 'https://a.example/?x=1&y=2',
          title: 'A & B',
          folders: ['Dev'],
          tags: ['one', 'two words'],
          added: '2016-06-15T16:50:35.000Z',
          description: 'Why I kept it',
        },
        {
          url: 'https://g.example/',
          title: 'Google counts microseconds',
          folders: ['Dev'],
          tags: [],
          added: '2018-04-17T20:16:34.943Z',
        },
      ],
    });
  });

  it('takes 2,000 nested bookmarks and reports the bad record', () => {
    const deep = Array.from(
      { length: 2000 },
      (_, n) => `<DT><H3>f${n}</H3><DL><p><DT><A HREF="https://e.example/${n}">${n}</A>`,
    );
    const file = read(
      `<DL><p>${deep.join('\n')}<DT><A HREF="javascript:void 0">Bookmarklet</A>${'</DL><p>'.repeat(2001)}`,
    );
    expect(file.bookmarks).toHaveLength(2000);
    expect(file.bookmarks[1999]?.folders).toHaveLength(2000);
    expect(file.problems).toEqual(['"Bookmarklet": javascript: addresses are not fetched']);
  });

  it('reads the Bookmarks file of Chrome', () => {
    const url = { type: 'url', name: 'A', url: 'https://a.example/', date_added: '13253932800000000' };
    const roots = {
      bookmark_bar: {
        type: 'folder',
        name: 'Bookmarks bar',
        children: [{ type: 'folder', name: 'Dev', children: [url] }],
      },
    };
    expect(read(JSON.stringify({ version: 1, roots }))).toMatchObject({
      format: 'chrome',
      bookmarks: [{ url: 'https://a.example/', folders: ['Dev'], added: '2021-01-01T00:00:00.000Z' }],
    });
  });

  it('reads a Firefox backup, once each, without its saved searches', () => {
    const place = (uri: string, more = {}) => ({
      type: 'text/x-moz-place',
      uri,
      title: 'T',
      dateAdded: 1463688081000000,
      ...more,
    });
    const folder = (title: string, children: unknown[], root?: string) => ({
      type: 'text/x-moz-place-container',
      guid: 'g',
      title,
      root,
      children,
    });
    const backup = folder(
      '',
      [
        folder(
          'menu',
          [folder('Dev', [place('https://a.example/', { tags: 'x,y' })]), place('place:sort=8')],
          'bookmarksMenuFolder',
        ),
        folder('tags', [folder('x', [place('https://a.example/')])], 'tagsFolder'),
      ],
      'placesRoot',
    );
    expect(read(JSON.stringify(backup))).toMatchObject({
      format: 'firefox',
      problems: [],
      bookmarks: [{ url: 'https://a.example/', folders: ['Dev'], tags: ['x', 'y'], added: '2016-05-19T20:01:21.000Z' }],
    });
  });

  it.each([
    [
      'Pinboard JSON',
      '[{"href":"https://a.example/","description":"A","extended":"why","tags":"x y","time":"2020-01-02T03:04:05Z"}]',
    ],
    [
      'Pinboard XML',
      '<?xml version="1.0"?><posts><post href="https://a.example/" description="A" extended="why" tag="x y" time="2020-01-02T03:04:05Z"/></posts>',
    ],
    ['a table', 'title,url,time_added,tags,note\nA,https://a.example/,1577934245,x y,"why"\n'],
    ['a table with semicolons', 'URL;Title;Tags;Created;Notes\nhttps://a.example/;A;x|y;2020-01-02T03:04:05Z;why\n'],
  ])('reads %s', (_name, text) => {
    expect(read(text).bookmarks).toEqual([
      {
        url: 'https://a.example/',
        title: 'A',
        folders: [],
        tags: ['x', 'y'],
        added: '2020-01-02T03:04:05.000Z',
        description: 'why',
      },
    ]);
  });

  it('reads lists of addresses, with and without titles', () => {
    const file = read(
      '# reading\nhttps://a.example/x.\n- [B (b)](https://b.example/(b)) later\nC title - https://c.example/\nno address here\n',
    );
    expect(file.bookmarks.map(({ url, title }) => [url, title])).toEqual([
      ['https://a.example/x', ''],
      ['https://b.example/(b)', 'B (b)'],
      ['https://c.example/', 'C title'],
    ]);
    expect(file.problems).toEqual(['line 5: no web address in "no address here"']);
  });
});

const shared = sharedPath('eval', 'bookmarks');

describe.skipIf(shared === undefined)('the files of ../shared (skipped where they are absent)', () => {
  it.each(readdirSync(shared ?? '.').filter((name) => /\.html?$/.test(name)))(
    '%s: every anchor is a bookmark or a problem',
    (name) => {
      const bytes = readFileSync(join(shared ?? '', name));
      const { bookmarks, problems } = readBookmarks(bytes, NOW);
      expect(bookmarks.length + problems.length).toBe(bytes.toString('utf8').match(/<a\s/gi)?.length ?? 0);
    },
  );
});
