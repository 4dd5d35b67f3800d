/** Durations and sizes written the way people write them. Apart from the zod types, so that the command line can parse without loading zod. */

const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  month: 2_629_800_000, // a twelfth of 365.25 days
  y: 31_557_600_000,
  year: 31_557_600_000,
};

/** `20s`, `1.5 h`, `6 months`, or a number of milliseconds -> milliseconds; undefined when it is none of these. */
export function parseDuration(text: string | number): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) && text >= 0 ? text : undefined;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  const name = match[2].toLowerCase();
  const unit = UNIT_MS[name] ?? UNIT_MS[name.replace(/s$/, '')];
  return unit === undefined ? undefined : Number(match[1]) * unit;
}

const UNIT_BYTES: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** `2 MiB`, `500kB` or a number of bytes -> bytes; undefined when it is none of these. */
export function parseBytes(text: string | number): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) && text >= 0 ? text : undefined;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  const unit = match?.[2] === undefined ? undefined : UNIT_BYTES[match[2].toLowerCase()];
  return unit === undefined || !match?.[1] ? undefined : Math.round(Number(match[1]) * unit);
}
