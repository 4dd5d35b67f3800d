/** Dates as people and programs write them (CASES 10). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoDateOf, parseDate } from '../../lib/dates.js';

const iso = (text: string, language?: string) => {
  const at = parseDate(text, { language });
  return at === undefined ? undefined : new Date(at).toISOString();
};

describe('parseDate', () => {
  it.each([
    ['Sat, Oct 28 2023 08:28:28 PM', '2023-10-28T20:28:28.000Z'],
    ['ma, 08 okt 2018 10:09:29 +0000', '2018-10-08T10:09:29.000Z'],
    ['31.05.2017', '2017-05-31T00:00:00.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000000', '2023-11-14T22:13:20.000Z'],
    ['Thu, 01 Jan 2004 19:48:21 GMT', '2004-01-01T19:48:21.000Z'],
    ['Sun, 6 Nov 94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Jan  4 16:29:06 PST 2004', '2004-01-05T00:29:06.000Z'],
    ['Tue, 02 Feb 2021 10:00:00 +0530 (IST)', '2021-02-02T04:30:00.000Z'],
    ['Wed, 19 Aug 2005 18:28:00 Etc/GMT', '2005-08-19T18:28:00.000Z'],
    ['2003-12-31T10:14:55-08:00', '2003-12-31T18:14:55.000Z'],
    ['2003-12-31T24:00:00Z', '2004-01-01T00:00:00.000Z'],
    ['2003-12-31T10:14:55.94', '2003-12-31T10:14:55.940Z'],
    ['20031231101455', '2003-12-31T10:14:55.000Z'],
    ['2003-335', '2003-12-01T00:00:00.000Z'],
    ['2003-12', '2003-12-01T00:00:00.000Z'],
    ['2021-01-05 10:00:00.000 UTC', '2021-01-05T10:00:00.000Z'],
    ['2021-13-04', '2021-04-13T00:00:00.000Z'],
    ['3. März 2019, 14:05 Uhr', '2019-03-03T14:05:00.000Z'],
    ['le 3 mars 2019 à 14:05', '2019-03-03T14:05:00.000Z'],
    ['28 de octubre de 2023', '2023-10-28T00:00:00.000Z'],
    ['28 жовтня 2023 10:00', '2023-10-28T10:00:00.000Z'],
    ['Κυρ, 11 Ιούλ 2004 12:00:00 EST', '2004-07-11T17:00:00.000Z'],
    ['2004-július-13T9:15-05:00', '2004-07-13T14:15:00.000Z'],
    ['2004年5月28日 下午 11:31:25', '2004-05-28T23:31:25.000Z'],
    ['2004년 05월 28일  오후 11:31:25', '2004-05-28T23:31:25.000Z'],
    ['2:30pm May 4 2020', '2020-05-04T14:30:00.000Z'],
    ['13/04/2021 10:00', '2021-04-13T10:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    '',
    'Tue,',
    'soon',
    '0001-01-01T00:00:00Z',
    '0',
    '1970-01-01',
    '0000-00-00 00:00:00',
    '99/99/9999',
    '1 hour ago',
  ])('takes %j for unknown', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });

  it('asks the language where the text alone does not decide', () => {
    expect(iso('03/04/2021')).toBe('2021-03-04T00:00:00.000Z');
    expect(iso('03/04/2021', 'fr')).toBe('2021-04-03T00:00:00.000Z');
    expect(iso('12 listopada 2020', 'pl')).toBe('2020-11-12T00:00:00.000Z');
    expect(iso('12 listopada 2020', 'hr')).toBe('2020-10-12T00:00:00.000Z');
  });

  it('does not believe the future beyond a day', () => {
    const now = Date.UTC(2026, 0, 10);
    expect(isoDateOf('2026-01-10T20:00:00Z', now)).toBe('2026-01-10T20:00:00.000Z');
    expect(isoDateOf('2027-01-10T00:00:00Z', now)).toBeUndefined();
  });

  it('reads back what programs write', () => {
    const instant = fc.date({ min: new Date('1972-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(parseDate(date.toISOString())).toBe(date.getTime());
        expect(parseDate(new Date(seconds).toUTCString())).toBe(seconds);
        // JavaScript's own rendering ends in a zone name in brackets.
        expect(
          parseDate(`${new Date(seconds).toUTCString().replace('GMT', '+0000')} (Coordinated Universal Time)`),
        ).toBe(seconds);
      }),
    );
  });

  it('never throws and never gives what cannot be', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[0-9:,. TZ+-]{0,30}$/)), (text) => {
        const at = parseDate(text);
        if (at !== undefined) expect(at).toBeGreaterThanOrEqual(Date.UTC(1971, 0, 1));
      }),
    );
  });
});
