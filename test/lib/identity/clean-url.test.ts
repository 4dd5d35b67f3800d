/** Addresses cleaned of what trackers and redirectors add, with the shipped rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { trackingParamsSchema, urlCleanerFrom } from '../../../config/tracking-params.js';

const urls = urlCleanerFrom(loadConfig('tracking-params', trackingParamsSchema, { env: {} }));

describe('clean', () => {
  it.each([
    ['https://a.example/x?utm_source=rss&id=7&UTM_Medium=feed', 'https://a.example/x?id=7'],
    ['https://a.example/x?fbclid=abc', 'https://a.example/x'],
    ['https://a.example/x#comments', 'https://a.example/x'],
    ['https://a.example/x#:~:text=some%20words', 'https://a.example/x'],
    ['https://a.example/x#section-2', 'https://a.example/x#section-2'],
    ['https://user:secret@a.example./x', 'https://a.example/x'],
    ['https://www.youtube.com/watch?v=abc&feature=share&si=1', 'https://www.youtube.com/watch?v=abc'],
    ['https://www.google.com/url?q=https%3A%2F%2Fb.example%2Fy%3Futm_source%3Dz&sa=D', 'https://b.example/y'],
    ['https://l.facebook.com/l.php?u=https%3A%2F%2Fb.example%2F&h=1', 'https://b.example/'],
    // Written as it stands: some servers care about the order and the escapes of what remains.
    ['https://a.example/x?b=%7Ea&utm_id=1&a=1+2', 'https://a.example/x?b=%7Ea&a=1+2'],
  ])('%s', (given, expected) => {
    expect(urls.clean(given)).toBe(expected);
  });

  it.each(['', 'not a url', 'mailto:a@b.example', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'refuses %j',
    (text) => {
      expect(urls.clean(text)).toBeUndefined();
    },
  );

  it('is stable: cleaning twice changes nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const once = urls.clean(url);
        expect(once === undefined ? undefined : urls.clean(once)).toBe(once);
      }),
    );
  });

  it('gives one key to the addresses of one page, and another to other pages', () => {
    const key = urls.key('https://www.a.example/x/?b=2&a=1&utm_campaign=n');
    expect(urls.key('http://a.example/x?a=1&b=2')).toBe(key);
    expect(urls.key('http://a.example/x?a=1&b=3')).not.toBe(key);
    expect(urls.key('http://a.example/X?a=1&b=2')).not.toBe(key);
  });
});
