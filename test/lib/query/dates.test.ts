import { describe, expect, test } from 'vitest';
import { parseDateRange } from '../../../lib/query/dates.js';

/** A Wednesday. */
const NOW = Date.parse('2026-03-18T22:30:00Z');
const read = (text: string) => {
  const { from = '', to = '' } = parseDateRange(text, NOW);
  return `${from}..${to}`;
};

describe('date ranges', () => {
  test.each([
    ['today', '2026-03-18..2026-03-18'],
    ['Yesterday', '2026-03-17..2026-03-17'],
    ['this week', '2026-03-16..2026-03-22'],
    ['last  week', '2026-03-09..2026-03-15'],
    ['last month', '2026-02-01..2026-02-28'],
    ['this year', '2026-01-01..2026-12-31'],
    ['past week', '2026-03-11..2026-03-18'],
    ['past 30 days', '2026-02-16..2026-03-18'],
    ['last 2 months', '2026-01-18..2026-03-18'],
    ['7d', '2026-03-11..2026-03-18'],
    ['2 weeks ago', '2026-03-04..2026-03-04'],
    ['a year ago', '2025-03-18..2025-03-18'],
    ['2024', '2024-01-01..2024-12-31'],
    ['2024-02', '2024-02-01..2024-02-29'],
    ['2024-02-29', '2024-02-29..2024-02-29'],
    ['since 2026-01-01', '2026-01-01..'],
    ['since last month', '2026-02-01..'],
    ['after 2026-01', '2026-02-01..'],
    ['before last week', '..2026-03-08'],
    ['until 2025', '..2025-12-31'],
    ['older than 6 months', '..2025-09-17'],
    ['newer than 2 weeks', '2026-03-04..'],
    ['2026-01-01..2026-02', '2026-01-01..2026-02-28'],
    ['2026-01..', '2026-01-01..'],
    ['from 2025 to yesterday', '2025-01-01..2026-03-17'],
  ])('%s', (text, range) => {
    expect(read(text)).toBe(range);
  });
  test('a month back from the 31st is the last day of the shorter month', () => {
    expect(parseDateRange('past month', Date.parse('2026-03-31T12:00:00Z')).from).toBe('2026-02-28');
    expect(parseDateRange('1 month ago', Date.parse('2026-01-15T00:00:00Z')).from).toBe('2025-12-15');
  });
  test.each(['', 'soon', '2026-13', '2026-02-30', '..', 'since', 'last', 'week', 'since forever'])(
    '%j is refused with examples',
    (text) => {
      expect(() => parseDateRange(text, NOW)).toThrowError(
        expect.objectContaining({ code: 'bad-date-range', exitCode: 2 }),
      );
    },
  );
});
