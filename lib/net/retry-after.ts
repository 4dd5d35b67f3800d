/** How long a server asks to be left alone. */

/** Whatever a server states, it is tried again after a week. */
const LONGEST_MS = 7 * 86_400_000;

/** Milliseconds a Retry-After header asks for, given as seconds or as a date; undefined when it says nothing usable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, LONGEST_MS);
  const at = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now, 0), LONGEST_MS);
}
