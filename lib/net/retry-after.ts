/** Reads Retry-After: seconds or an HTTP date. */

/** Longest pause a server can ask of us. */
const LONGEST_MS = 24 * 3_600_000;

/** Milliseconds to wait from `now` (milliseconds since the epoch); undefined when the header says nothing usable. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_MS);
}
