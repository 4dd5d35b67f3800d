/** Subscription lists in and out (CASES 20). */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OpmlFeed, readOpml, writeOpml } from '../../../lib/feeds/opml.js';

describe('OPML', () => {
  it('takes a feed at the root and in a category once, with its category; survives a raw &; reports the rest', () => {
    expect(readOpml(readFileSync('fixtures/feeds/subscriptions.opml'))).toMatchObject({
      empty: false,
      feeds: [
        { name: 'Harbour Engineering & Notes', url: 'https://harbour.example/feed.xml', category: 'Tech' },
        { name: 'Field notes', url: 'https://field.example/feed.json?a=1&b=2', category: 'Tech/Databases' },
      ],
      problems: ['"Local search": vfolder is no http(s) address'],
    });
  });

  it('knows a file that is no list', () => {
    expect(readOpml(Buffer.from('hello')).empty).toBe(true);
  });

  it('reads back what it writes', () => {
    const word = fc.stringMatching(/^[A-Za-zäß&<>"']{1,12}$/);
    const feed = fc.record({
      name: word,
      host: fc.stringMatching(/^[a-z]{3,12}$/),
      path: fc.array(word, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(feed, { selector: ({ host }) => host }), (list) => {
        const feeds: OpmlFeed[] = list.map(({ name, host, path }) => ({
          name,
          url: `https://${host}.example/feed?a=1&b=2`,
          ...(path.length === 0 ? {} : { category: path.join('/') }),
        }));
        const byUrl = (a: OpmlFeed, b: OpmlFeed) => a.url.localeCompare(b.url);
        const back = readOpml(Buffer.from(writeOpml('Mine', feeds)));
        expect([...back.feeds].sort(byUrl)).toEqual([...feeds].sort(byUrl));
        expect(back.problems).toEqual([]);
      }),
    );
  });
});
