import { describe, expect, it } from 'vitest';
import { occurrences } from '../../../lib/schedule/occurrences.js';

const at = (text: string): number => Date.parse(text);
const list = (cron: string, zone: string, from: string, to: string): string[] =>
  occurrences(cron, zone, 'job')
    .between(at(from), at(to))
    .map((ms) => new Date(ms).toISOString());

describe('occurrences', () => {
  it('are whole minutes, exclusive of the start and inclusive of the end', () => {
    expect(list('*/5 * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z')).toEqual([
      '2026-01-01T00:05:00.000Z',
      '2026-01-01T00:10:00.000Z',
    ]);
  });

  it('follow the zone', () => {
    expect(list('15 6 * * *', 'Europe/Warsaw', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).toEqual([
      '2026-01-01T05:15:00.000Z',
    ]);
  });

  it('run a skipped hour once, right after the jump', () => {
    // Warsaw 2026-03-29: 02:00 becomes 03:00 at 01:00 UTC.
    expect(list('30 2 * * *', 'Europe/Warsaw', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-29T01:00:00.000Z',
    ]);
  });

  it('run a repeated hour once', () => {
    // Warsaw 2026-10-25: 03:00 becomes 02:00 at 01:00 UTC.
    expect(list('30 2 * * *', 'Europe/Warsaw', '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00.000Z',
    ]);
  });

  it('keep an every-five-minutes job evenly spaced through both changes', () => {
    for (const day of ['2026-03-29', '2026-10-25']) {
      expect(list('*/5 * * * *', 'Europe/Warsaw', `${day}T00:00:00Z`, `${day}T03:00:00Z`)).toHaveLength(36);
    }
  });

  it('find the next one, also far away', () => {
    expect(new Date(occurrences('0 0 29 2 *', 'UTC', 'leap').next(at('2026-01-01T00:00:00Z')) ?? 0).toISOString()).toBe(
      '2028-02-29T00:00:00.000Z',
    );
  });

  it('refuse bad expressions and zones by name', () => {
    expect(() => occurrences('61 * * * *', 'UTC', 'ingest')).toThrow(
      /ingest: "61 \* \* \* \*" is not a cron expression/,
    );
    expect(() => occurrences('* * * * * *', 'UTC', 'ingest')).toThrow(/five fields/);
    expect(() => occurrences('* * * * *', 'Mars/Olympus', 'ingest')).toThrow(/no time zone "Mars\/Olympus"/);
  });
});
