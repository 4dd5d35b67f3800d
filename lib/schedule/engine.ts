/**
 * Decides what runs when. Knows no timer and no process: `tick(now)` is called by whoever has a clock, so that a test
 * can live through a year in a second.
 */
import type { Occurrences } from './occurrences.js';

export type CatchUp = 'once' | 'skip';

export interface ScheduledJob {
  readonly name: string;
  readonly occurrences: Occurrences;
  /** After a gap (sleep, downtime): run once for all that was missed, or not at all. */
  readonly catchUp: CatchUp;
  /** Delay added to every run, fixed per occurrence, milliseconds at most. */
  readonly jitterMs: number;
}

export type RunStatus = 'ok' | 'failed' | 'missed' | 'overlapped' | 'interrupted';

/** One line of history. Times in ISO 8601 UTC. */
export interface HistoryEntry {
  readonly job: string;
  /** When it was due; the newest due time for a run that catches up. */
  readonly due: string;
  readonly started?: string;
  readonly finished?: string;
  readonly status: RunStatus;
  /** How many due times this entry stands for (`missed`, or a catch-up run). */
  readonly count: number;
  readonly reason?: string;
}

export interface EngineOptions {
  readonly jobs: readonly ScheduledJob[];
  /** Runs a job; rejects when it fails. */
  readonly run: (job: string, signal: AbortSignal) => Promise<void>;
  /** Durable, in order. */
  readonly record: (entry: HistoryEntry) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** 0..1, for jitter. */
  readonly random: () => number;
  /** Where the last process left off, by job: the newest due time already dealt with. */
  readonly resumeFrom: ReadonlyMap<string, number>;
  /** A due time older than this at its tick counts as missed. */
  readonly lateAfterMs: number;
}

interface JobState {
  readonly job: ScheduledJob;
  /** Due times up to here are dealt with. Never moves back, so that a clock set back repeats nothing. */
  handled: number;
  /** A start that waits for its jitter. */
  waiting: { due: number; at: number; count: number } | undefined;
  running: AbortController | undefined;
}

export class ScheduleEngine {
  private readonly states: JobState[];
  private readonly inFlight = new Set<Promise<void>>();
  private stopping = false;

  constructor(private readonly options: EngineOptions) {
    const start = options.now();
    this.states = options.jobs.map((job) => ({
      job,
      handled: options.resumeFrom.get(job.name) ?? start,
      waiting: undefined,
      running: undefined,
    }));
  }

  /** Deals with everything due up to now. Call it at least once a minute; calling it more often is harmless. */
  async tick(): Promise<void> {
    if (this.stopping) return;
    const now = this.options.now();
    for (const state of this.states) {
      await this.collect(state, now);
      if (state.waiting && now >= state.waiting.at) await this.start(state);
    }
  }

  /** Stops starting; waits for what runs, and aborts it after `graceMs`. */
  async stop(graceMs: number, wait: (ms: number) => Promise<void>): Promise<void> {
    this.stopping = true;
    if (this.inFlight.size === 0) return;
    const done = Promise.allSettled(this.inFlight);
    await Promise.race([done, wait(graceMs)]);
    for (const { running } of this.states) running?.abort(new Error('the schedule stops'));
    await done;
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.allSettled(this.inFlight);
  }

  /** Next due time of each job after now. */
  upcoming(): { job: string; at: number | undefined }[] {
    const now = this.options.now();
    return this.states.map(({ job, handled }) => ({ job: job.name, at: job.occurrences.next(Math.max(now, handled)) }));
  }

  private async collect(state: JobState, now: number): Promise<void> {
    if (now <= state.handled) return;
    const due = state.job.occurrences.between(state.handled, now);
    state.handled = now;
    const newest = due.at(-1);
    if (newest === undefined) return;
    const onTime = now - newest <= this.options.lateAfterMs;
    const late = onTime ? due.length - 1 : due.length;
    if (state.running || state.waiting) {
      await this.note(state, newest, 'overlapped', due.length, 'the previous run was not finished');
      return;
    }
    const catchesUp = state.job.catchUp === 'once';
    if (late > 0 && !catchesUp)
      await this.note(
        state,
        due[late - 1] ?? newest,
        'missed',
        late,
        'the machine slept or the schedule was not running',
      );
    if (!onTime && !catchesUp) return;
    const jitter = Math.floor(this.options.random() * state.job.jitterMs);
    state.waiting = { due: newest, at: (onTime ? newest : now) + jitter, count: catchesUp ? due.length : 1 };
  }

  private async start(state: JobState): Promise<void> {
    const { waiting, job } = state;
    if (!waiting) return;
    state.waiting = undefined;
    const abort = new AbortController();
    state.running = abort;
    const started = this.options.now();
    const run = (async () => {
      let status: RunStatus = 'ok';
      let reason: string | undefined;
      try {
        await this.options.run(job.name, abort.signal);
      } catch (error) {
        status = abort.signal.aborted ? 'interrupted' : 'failed';
        reason = error instanceof Error ? error.message : String(error);
      }
      await this.options.record({
        job: job.name,
        due: iso(waiting.due),
        started: iso(started),
        finished: iso(this.options.now()),
        status,
        count: waiting.count,
        ...(reason === undefined ? {} : { reason }),
      });
      state.running = undefined;
    })();
    this.inFlight.add(run);
    void run.finally(() => this.inFlight.delete(run));
  }

  private note(state: JobState, due: number, status: RunStatus, count: number, reason: string): Promise<void> {
    return this.options.record({ job: state.job.name, due: iso(due), status, count, reason });
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
