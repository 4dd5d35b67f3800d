/** Wall-clock time of an IANA zone for instants, fast enough to walk a year minute by minute. */

const MINUTE_MS = 60_000;
/** Zone offsets change on quarter hours at the finest. */
const BUCKET_MS = 15 * MINUTE_MS;
const CACHE_LIMIT = 4096;

export interface WallClock {
  /** The zone's local time of an instant, written as if it were UTC: milliseconds since the epoch. */
  toWall(instant: number): number;
}

/** @throws {RangeError} for a zone the platform does not know. */
export function wallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsets = new Map<number, number>();
  const offsetAt = (bucket: number): number => {
    const known = offsets.get(bucket);
    if (known !== undefined) return known;
    const instant = bucket * BUCKET_MS;
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value);
    const wall = Date.UTC(
      part['year'] ?? 0,
      (part['month'] ?? 1) - 1,
      part['day'],
      part['hour'],
      part['minute'],
      part['second'],
    );
    if (offsets.size >= CACHE_LIMIT) offsets.clear();
    offsets.set(bucket, wall - instant);
    return wall - instant;
  };
  return { toWall: (instant) => instant + offsetAt(Math.floor(instant / BUCKET_MS)) };
}
