/**
 * When a cron expression is due, in a time zone, across daylight-saving changes:
 * - a fixed hour that the clock jumps over is due at the first instant after the jump;
 * - a fixed hour that the clock shows twice is due the first time only;
 * - expressions that run every hour follow elapsed time and are due in both.
 * Matching itself is node-cron's.
 */
import { createTask, parse, validateDetailed } from 'node-cron';
import { ConfigError } from '../../runner/errors.js';
import { wallClock } from './wall-clock.js';

const MINUTE_MS = 60_000;
/** The farthest we look for the next occurrence: a leap day that falls on a given weekday comes every 28 years. */
const HORIZON_MS = 29 * 366 * 86_400_000;

export interface Occurrences {
  /** Due instants (milliseconds, whole minutes) after `from` up to and including `to`, ascending. */
  between(from: number, to: number): number[];
  /** The next due instant after `from`; undefined when there is none. */
  next(from: number): number | undefined;
}

/**
 * @param where shown in errors, e.g. the job's name.
 * @throws {ConfigError} `bad-cron` or `bad-time-zone` with what to write instead.
 */
export function occurrences(cron: string, timeZone: string, where: string): Occurrences {
  const validation = validateDetailed(cron);
  if (!validation.valid || cron.trim().split(/\s+/).length !== 5) {
    const why =
      validation.errors.map((e) => e.message).join('; ') || 'it must have five fields: minute hour day month weekday';
    throw new ConfigError('bad-cron', `${where}: "${cron}" is not a cron expression: ${why}.`, {
      remedy: 'Example: "15 6 * * *" is every day at 06:15.',
    });
  }
  let clock: ReturnType<typeof wallClock>;
  try {
    clock = wallClock(timeZone);
  } catch (cause) {
    throw new ConfigError('bad-time-zone', `${where}: there is no time zone "${timeZone}".`, {
      cause,
      remedy: 'Use a name such as Europe/Warsaw or UTC.',
    });
  }
  const fields = parse(cron);
  const minutes = new Set(fields.minute);
  const hours = new Set(fields.hour);
  const everyHour = hours.size === 24;
  // The task never runs: it matches wall-clock times handed to it as UTC.
  const task = createTask(cron, () => undefined, { timezone: 'UTC' });
  const matches = (wall: number): boolean => {
    const date = new Date(wall);
    return minutes.has(date.getUTCMinutes()) && hours.has(date.getUTCHours()) && task.match(date);
  };

  /** Whether an occurrence belongs to the minute that begins at `instant`. */
  const dueAt = (instant: number): boolean => {
    const wall = clock.toWall(instant);
    if (everyHour) return matches(wall);
    const before = clock.toWall(instant - MINUTE_MS);
    // Forward jump: the skipped wall-clock minutes are due now.
    for (let skipped = before + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) if (matches(skipped)) return true;
    // Backward jump: this wall-clock minute was shown before, within the last three hours.
    return matches(wall) && !shownBefore(instant, wall);
  };
  const shownBefore = (instant: number, wall: number): boolean => {
    for (const back of [30, 60, 120, 180]) {
      const earlier = instant - back * MINUTE_MS;
      if (clock.toWall(earlier) === wall) return true;
    }
    return false;
  };
  const firstMinute = (from: number): number => Math.floor(from / MINUTE_MS) * MINUTE_MS + MINUTE_MS;

  return {
    between(from, to) {
      const due: number[] = [];
      for (let at = firstMinute(from); at <= to; at += MINUTE_MS) if (dueAt(at)) due.push(at);
      return due;
    },
    next(from) {
      for (let at = firstMinute(from); at <= from + HORIZON_MS; at += MINUTE_MS) if (dueAt(at)) return at;
      return undefined;
    },
  };
}
