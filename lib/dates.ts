/**
 * Reads every date format found in feeds, mail and web pages. Knowing a date's format in advance helps nobody: the
 * same feed mixes three. So words and numbers are recognised one by one, and what makes no sense gives `undefined`,
 * never 1970 and never "now".
 */
import { halfDay, monthAmong, zoneMinutes } from './date-words.js';

const DAY_MS = 86_400_000;

export interface DateHints {
  /** BCP 47 language of the text: decides homonymous month names and whether 3/4/2021 starts with the day. */
  readonly language?: string | undefined;
}

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Milliseconds. */
  fraction: number;
  /** Minutes east of UTC. */
  zone: number;
}

const NOTHING = { month: 1, day: 1, hour: 0, minute: 0, second: 0, fraction: 0, zone: 0 };

/** Milliseconds since the epoch, or undefined when the text holds no date that can be meant. */
export function parseDate(text: string, hints: DateHints = {}): number | undefined {
  // Longer than any date: somebody put prose in the field.
  const plain = text.trimStart().slice(0, 200).normalize('NFKC').replace(/\s+/g, ' ').trim().slice(0, 100);
  if (!/\d/.test(plain)) return undefined;
  const parts = unixTime(plain) ?? isoDate(plain) ?? eastAsianDate(plain) ?? wordyDate(plain, hints);
  return typeof parts === 'number' ? believable(parts) : parts && believable(instant(parts));
}

/** ISO 8601 UTC of `parseDate`, or undefined; a date more than a day after `now` is somebody's mistake. */
export function isoDateOf(text: string | undefined, now: number, hints: DateHints = {}): string | undefined {
  if (text === undefined) return undefined;
  const at = parseDate(text, hints);
  return at === undefined || at > now + DAY_MS ? undefined : new Date(at).toISOString();
}

/** Nothing on the web is older than 1971: the epoch, year 1 and year 1900 are what programs write for "unknown". */
function believable(at: number | undefined): number | undefined {
  return at !== undefined && at >= Date.UTC(1971, 0, 1) && at < Date.UTC(2200, 0, 1) ? at : undefined;
}

function instant(parts: Parts): number | undefined {
  const { year, month, day, hour, minute, second } = parts;
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  // 24:00 is the next midnight; a clock reading that cannot be is dropped, the day kept.
  const clock =
    hour <= 24 && minute < 60 && second < 62 ? ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 : 0;
  // A zone beyond +14:00 is nonsense (RFC 822 says nothing of it): the time is taken as UTC.
  const zone = Math.abs(parts.zone) <= 14 * 60 ? parts.zone : 0;
  return Date.UTC(year, month - 1, Math.min(day, lastDay)) + clock + parts.fraction - zone * 60_000;
}

function unixTime(text: string): number | undefined {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  return /^\d{12,13}$/.test(text) ? Number(text) : undefined;
}

const ISO =
  /^(?:[a-z]{2,12}\.?,? )?(\d{4})(?:-?(\d{3})(?!\d)|[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?(?:(?:[Tt ]+|, ?)(\d.*))?$/i;

/** ISO 8601 and the shapes near it: `2003-12-31T10:14:55Z`, `20031231101455`, `2003-335`, `2003/12/31 10:14 -0500`. */
function isoDate(text: string): Parts | undefined {
  const packed = /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)?(.*)$/i.exec(text);
  if (packed) {
    const [, year, month, day, hour, minute, second = '00', zone = ''] = packed;
    return parts(Number(year), Number(month), Number(day), readClock(`${hour}:${minute}:${second}${zone}`));
  }
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, ordinal, month, day, clock = ''] = match;
  // 2003123 is 123 days in, 200312 is December.
  if (ordinal !== undefined) {
    const at = new Date(Date.UTC(Number(year), 0, Number(ordinal)));
    if (Number(ordinal) < 1 || Number(ordinal) > 366) return undefined;
    return parts(Number(year), at.getUTCMonth() + 1, at.getUTCDate(), readClock(clock));
  }
  const [first, second] = [Number(month ?? 1), Number(day ?? 1)];
  // Some write year, day, month.
  return first > 12 && second <= 12
    ? parts(Number(year), second, first, readClock(clock))
    : parts(Number(year), first, second, readClock(clock));
}

/** `2004年5月28日 下午 11:31:25`, `2004년 5월 28일 오후 11:31`. Times there are local; the offset is rarely said. */
function eastAsianDate(text: string): Parts | undefined {
  const match = /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일号]?(.*)$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, rest = ''] = match;
  const clock = rest.replace(/(\d{1,2})\s*[時时시]\s*(?:(\d{1,2})\s*[分분])?\s*(?:(\d{1,2})\s*[秒초])?/, '$1:$2:$3');
  return parts(Number(year), Number(month), Number(day), readClock(clock.replace(/:+(?=:|\D|$)/g, ':00')));
}

/**
 * Everything with a month's name or with two separators: RFC 822, asctime, `Oct 28 2023 08:28:28 PM`, `31.05.2017`,
 * `le 3 mars 2019 à 14:05`. Weekdays and filler words are passed over in every language by not being a month.
 */
function wordyDate(text: string, hints: DateHints): Parts | undefined {
  const clock = readClock(text);
  const rest = clock.rest;
  const numeric = /(?:^|[^\d])(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?!\d)/.exec(rest);
  if (numeric) {
    const [, a = '', separator = '', b = '', c = ''] = numeric;
    const [day, month, year] = orderNumbers(a, b, c, separator, hints);
    return parts(fullYear(year), month, day, clock);
  }
  const words = rest.match(/[\p{L}\p{M}.'’]{2,}/gu) ?? [];
  const month = monthAmong(words, hints.language);
  if (month === undefined) return undefined;
  const numbers = (rest.match(/\d+/g) ?? []).filter((digits) => digits.length <= 4);
  const yearAt = numbers.findIndex((digits) => digits.length >= 3);
  const year = yearAt >= 0 ? numbers[yearAt] : numbers.length > 1 ? numbers[numbers.length > 2 ? 2 : 1] : undefined;
  if (year === undefined) return undefined;
  const day = numbers.find((digits, index) => (yearAt >= 0 ? index !== yearAt : index === 0) && Number(digits) <= 31);
  return parts(fullYear(year), month, Number(day ?? 1), clock);
}

/** Day, month and year text of `a/b/c`: the year shows itself, a number over 12 is a day, then custom decides. */
function orderNumbers(a: string, b: string, c: string, separator: string, hints: DateHints): [number, number, string] {
  if (a.length > 2) return Number(b) > 12 ? [Number(b), Number(c), a] : [Number(c), Number(b), a];
  const [first, second] = [Number(a), Number(b)];
  if (first > 12) return [first, second, c];
  if (second > 12) return [second, first, c];
  const american = separator === '/' && /^(en(-us)?)?$/i.test(hints.language ?? '');
  return american ? [second, first, c] : [first, second, c];
}

/** RFC 2822: two digits below 50 are this century, three digits count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length >= 4) return year;
  if (digits.length === 3) return year + 1900;
  return year + (year < 50 ? 2000 : 1900);
}

interface ClockReading {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: number;
  readonly zone: number;
  /** The text without time and zone. */
  readonly rest: string;
}

const TIME = /(?<![\d.])(\d{1,2}) ?[:h] ?(\d{1,2})(?: ?[:'m] ?(\d{1,2}))?(?:[.,](\d+))?(?!\d)/;
const OFFSET = /(?:\b(?:gmt|utc?|z) ?)?([+\-−]+) ?(\d{1,2}):?(\d\d)?(?!\d|[/-])/i;

/** Finds the time of day and its zone anywhere in a text. */
function readClock(text: string): ClockReading {
  const time = TIME.exec(text);
  if (!time) return { ...NOTHING, rest: text };
  const before = text.slice(0, time.index);
  let after = text.slice(time.index + time[0].length);
  let hour = Number(time[1]);
  const half = /(?:^|[^\p{L}])(a\.?m|p\.?m|上午|下午|午前|午後|오전|오후|πμ|μμ)(?![\p{L}])/iu.exec(
    `${after} ${before}`,
  )?.[1];
  const noon = half === undefined ? undefined : halfDay(half);
  if (noon === 'pm' && hour < 12) hour += 12;
  if (noon === 'am' && hour === 12) hour = 0;
  let zone = 0;
  const offset = OFFSET.exec(after);
  if (offset) {
    const [whole, sign = '+', hours = '0', minutes = '0'] = offset;
    const size = Number(hours) * 60 + (Number(minutes) < 60 ? Number(minutes) : 0);
    zone = sign.startsWith('+') ? size : -size;
    after = after.replace(whole, ' ');
  } else {
    for (const word of after.match(/\p{L}+/gu) ?? []) {
      const minutes = zoneMinutes(word);
      if (minutes === undefined) continue;
      zone = minutes;
      after = after.replace(word, ' ');
      break;
    }
  }
  const fraction = time[4] === undefined ? 0 : Math.floor(Number(`0.${time[4]}`) * 1000);
  return {
    hour,
    minute: Number(time[2]),
    second: Number(time[3] ?? 0),
    fraction,
    zone,
    rest: `${before} ${after}`,
  };
}

function parts(year: number, month: number, day: number, clock: Omit<ClockReading, 'rest'>): Parts {
  const { hour, minute, second, fraction, zone } = clock;
  return { year, month, day, hour, minute, second, fraction, zone };
}
