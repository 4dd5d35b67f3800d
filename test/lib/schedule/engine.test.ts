import { describe, expect, it } from 'vitest';
import { type HistoryEntry, type ScheduledJob, ScheduleEngine } from '../../../lib/schedule/engine.js';
import { occurrences } from '../../../lib/schedule/occurrences.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const start = Date.parse('2026-01-01T00:00:30Z');

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** A process that can be killed and started again; its history is what survives. */
function world(jobs: readonly ScheduledJob[]) {
  const history: HistoryEntry[] = [];
  const running = new Map<string, number>();
  const random = seeded(7);
  let now = start;
  let overlaps = 0;
  let releases: (() => void)[] = [];
  let slow = false;
  const open = () =>
    new ScheduleEngine({
      jobs,
      now: () => now,
      random,
      lateAfterMs: 2 * MINUTE,
      record: async (entry) => void history.push(entry),
      resumeFrom: new Map(
        jobs.map(({ name }) => [
          name,
          Math.max(start, ...history.filter((h) => h.job === name).map((h) => Date.parse(h.due))),
        ]),
      ),
      run: async (job, signal) => {
        running.set(job, (running.get(job) ?? 0) + 1);
        if ((running.get(job) ?? 0) > 1) overlaps++;
        try {
          if (slow) {
            await new Promise<void>((resolve, reject) => {
              releases.push(resolve);
              signal.addEventListener('abort', () => reject(signal.reason));
            });
          }
          if (random() < 0.05) throw new Error('the feed server is down');
        } finally {
          running.set(job, (running.get(job) ?? 1) - 1);
        }
      },
    });
  return {
    history,
    open,
    overlaps: () => overlaps,
    set: (to: number) => {
      now = to;
    },
    now: () => now,
    slowly: (on: boolean) => {
      slow = on;
      if (!on) for (const release of releases.splice(0)) release();
      releases = [];
    },
  };
}

const job = (name: string, cron: string, catchUp: 'once' | 'skip', zone = 'Europe/Warsaw'): ScheduledJob => ({
  name,
  occurrences: occurrences(cron, zone, name),
  catchUp,
  jitterMs: 0,
});

describe('ScheduleEngine', () => {
  it('lives through a year: sleeps, clock jumps, both DST changes, failures and restarts lose and double nothing', async () => {
    const jobs = [job('daily', '30 2 * * *', 'once'), job('frequent', '*/5 * * * *', 'skip')];
    const w = world(jobs);
    let engine = w.open();
    const restartDays = new Set(Array.from({ length: 20 }, (_, i) => 10 + i * 17));
    let t = start;
    for (let minute = 0; t < start + 365 * DAY; minute++) {
      t += MINUTE;
      if (minute === 100 * 1440) t += 3 * DAY; // asleep for three days
      if (minute === 150 * 1440) t += 2 * HOUR; // the clock jumps forward
      const backwards = minute >= 200 * 1440 && minute < 200 * 1440 + 30; // the clock is set back for half an hour
      w.set(backwards ? t - HOUR : t);
      await engine.tick();
      await engine.idle();
      if (minute % 1440 === 700 && restartDays.has(Math.floor(minute / 1440))) {
        await engine.stop(1000, async () => undefined);
        engine = w.open();
      }
    }
    expect(w.overlaps()).toBe(0);
    for (const { name, occurrences: due } of jobs) {
      const entries = w.history.filter((h) => h.job === name);
      // Every due time of the year is accounted for exactly once, by a run or by a stated miss.
      expect(entries.reduce((sum, e) => sum + e.count, 0)).toBe(due.between(start, w.now()).length);
      const runs = entries.filter((e) => e.started !== undefined);
      expect(new Set(runs.map((r) => r.due)).size).toBe(runs.length);
    }
    const daily = w.history.filter((h) => h.job === 'daily');
    expect(daily.filter((h) => h.count === 3)).toHaveLength(1);
    expect(w.history.filter((h) => h.status === 'failed').length).toBeGreaterThan(1000);
    expect(w.history.filter((h) => h.status === 'missed').reduce((n, h) => n + h.count, 0)).toBeGreaterThan(800);
  }, 60_000);

  it('never runs a job twice at once and says what it left out', async () => {
    const w = world([job('slow', '* * * * *', 'skip', 'UTC')]);
    const engine = w.open();
    w.slowly(true);
    w.set(start + MINUTE);
    await engine.tick();
    w.set(start + 2 * MINUTE);
    await engine.tick();
    w.slowly(false);
    await engine.idle();
    expect(w.history.map((h) => h.status)).toEqual(['overlapped', 'ok']);
    expect(w.overlaps()).toBe(0);
  });

  it('stops within the grace time and records the interrupted run', async () => {
    const w = world([job('slow', '* * * * *', 'skip', 'UTC')]);
    const engine = w.open();
    w.slowly(true);
    w.set(start + MINUTE);
    await engine.tick();
    await engine.stop(1000, async () => undefined);
    expect(w.history).toMatchObject([{ status: 'interrupted', reason: 'the schedule stops' }]);
    w.set(start + 5 * MINUTE);
    await engine.tick();
    expect(w.history).toHaveLength(1);
  });
});
