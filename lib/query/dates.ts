/** Turns words such as "last week" into inclusive date ranges, for filters a person types. */
import { ConfigError } from '../../runner/errors.js';

/** Inclusive YYYY-MM-DD bounds; an absent one is open. */
export interface DateRange {
  readonly from?: string;
  readonly to?: string;
}

const DAY_MS = 86_400_000;
type Unit = 'day' | 'week' | 'month' | 'year';

/**
 * Reads a date range: `today`, `yesterday`, `this week`, `last month`, `past 3 days`, `3 weeks ago`, `2026`, `2026-03`,
 * `2026-03-14`, `since X`, `before X`, `until X`, `X..Y`, `7d`. Weeks start on Monday (ISO 8601). `last week` is the
 * calendar week before this one, `past week` the seven days up to today. Days are UTC, as dates in frontmatter carry
 * no time zone.
 *
 * @throws ConfigError `bad-date-range` when the text is none of these.
 */
export function parseDateRange(text: string, nowMs: number): DateRange {
  const range = readRange(text.trim().toLowerCase().replace(/\s+/g, ' '), nowMs);
  if (!range) {
    throw new ConfigError('bad-date-range', `"${text}" is not a date or date range.`, {
      remedy:
        'Use e.g. 2026-03-14, 2026-03, "last week", "past 30 days", "since 2026-01-01" or 2026-01-01..2026-03-31.',
    });
  }
  return range;
}

function readRange(text: string, nowMs: number): DateRange | undefined {
  const between = /^(.*?) ?\.\. ?(.*)$/.exec(text) ?? /^(?:from|between) (.+?) (?:to|and|until) (.+)$/.exec(text);
  if (between) {
    const from = between[1] ? readSpan(between[1], nowMs) : undefined;
    const to = between[2] ? readSpan(between[2], nowMs) : undefined;
    if ((between[1] && !from) || (between[2] && !to) || (!from && !to)) return undefined;
    return bounds(from?.from, to?.to);
  }
  const sided = /^(since|after|from|before|until|till|up to|older than|newer than) (.+)$/.exec(text);
  if (!sided) return readSpan(text, nowMs);
  const [, word = '', rest = ''] = sided;
  // "older than 3 months" names an age, not a date: it means before the day that lies so far back.
  const span =
    readSpan(word.endsWith('than') && !rest.endsWith('ago') ? `${rest} ago` : rest, nowMs) ?? readSpan(rest, nowMs);
  if (!span) return undefined;
  if (word === 'since' || word === 'from' || word === 'newer than') return bounds(span.from, undefined);
  if (word === 'after') return bounds(span.to && shift(span.to, 1), undefined);
  if (word === 'before' || word === 'older than') return bounds(undefined, span.from && shift(span.from, -1));
  return bounds(undefined, span.to);
}

/** One day, week, month or year as a range. */
function readSpan(text: string, nowMs: number): DateRange | undefined {
  const today = iso(nowMs);
  if (text === 'today') return bounds(today, today);
  if (text === 'yesterday') return bounds(shift(today, -1), shift(today, -1));
  const calendar = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/.exec(text);
  if (calendar) return calendarSpan(calendar[1] ?? '', calendar[2], calendar[3]);
  const relative = /^(this|last|previous) (week|month|year)$/.exec(text);
  if (relative) return unitSpan(nowMs, relative[2] as Unit, relative[1] === 'this' ? 0 : -1);
  const past = /^(?:(?:the )?(?:past|last) )?(\d{1,4})? ?(d|day|w|week|m|month|y|year)s?$/.exec(text);
  if (past && (past[1] || text.startsWith('past') || text.startsWith('the past'))) {
    return bounds(back(today, Number(past[1] ?? 1), unitOf(past[2] ?? 'd')), today);
  }
  const ago = /^(\d{1,4}|an?|one) (day|week|month|year)s? ago$/.exec(text);
  if (ago) {
    const count = /^\d/.test(ago[1] ?? '') ? Number(ago[1]) : 1;
    const day = back(today, count, ago[2] as Unit);
    return bounds(day, day);
  }
  return undefined;
}

function calendarSpan(year: string, month?: string, day?: string): DateRange | undefined {
  if (!month) return bounds(`${year}-01-01`, `${year}-12-31`);
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!day) return bounds(`${year}-${month}-01`, `${year}-${month}-${last}`);
  return Number(day) >= 1 && Number(day) <= last
    ? bounds(`${year}-${month}-${day}`, `${year}-${month}-${day}`)
    : undefined;
}

function unitSpan(nowMs: number, unit: Unit, offset: number): DateRange {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (unit === 'year') return bounds(`${year + offset}-01-01`, `${year + offset}-12-31`);
  if (unit === 'month')
    return bounds(iso(Date.UTC(year, month + offset, 1)), iso(Date.UTC(year, month + offset + 1, 0)));
  const monday = shift(iso(nowMs), -((now.getUTCDay() + 6) % 7) + 7 * offset);
  return bounds(monday, shift(monday, 6));
}

/** The day so many units back; a month back from the 31st is the last day of a shorter month. */
function back(day: string, count: number, unit: Unit): string {
  if (unit === 'day' || unit === 'week') return shift(day, -count * (unit === 'week' ? 7 : 1));
  const at = new Date(`${day}T00:00:00Z`);
  const months = at.getUTCFullYear() * 12 + at.getUTCMonth() - count * (unit === 'year' ? 12 : 1);
  const lastDay = new Date(Date.UTC(Math.floor(months / 12), (months % 12) + 1, 0)).getUTCDate();
  return iso(Date.UTC(Math.floor(months / 12), months % 12, Math.min(at.getUTCDate(), lastDay)));
}

function unitOf(text: string): Unit {
  return text.startsWith('d') ? 'day' : text.startsWith('w') ? 'week' : text.startsWith('m') ? 'month' : 'year';
}

function shift(day: string, days: number): string {
  return iso(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function bounds(from: string | undefined, to: string | undefined): DateRange {
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}
