/** The schedule of one vault: jobs from its settings, history on disk, runs through the same lock as everybody else's. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ScheduleConfig, scheduleSchema } from '../config/schedule.js';
import { type HistoryEntry, type ScheduledJob, ScheduleEngine } from '../lib/schedule/engine.js';
import { occurrences } from '../lib/schedule/occurrences.js';
import { ConfigError, PipelineError, suggest } from '../runner/errors.js';
import type { Workspace } from './workspace.js';

/** A due time older than this when it is noticed was missed: the machine slept. */
const LATE_AFTER_MS = 2 * 60_000;

/** Time a run has to finish the item in hand once its time is up. */
const STOPPING_MS = 30_000;

export interface VaultJob extends ScheduledJob {
  readonly pipeline: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly timeoutMs: number;
  readonly onFailure: ScheduleConfig[string]['onFailure'];
}

/**
 * The jobs of schedule.yaml.
 * @throws {ConfigError} for a bad cron expression, an unknown time zone or pipeline, naming the job.
 */
export function scheduledJobs(workspace: Workspace): VaultJob[] {
  const file = `${workspace.userDir}/schedule.yaml`;
  return Object.entries(workspace.config('schedule', scheduleSchema)).map(([name, job]) => {
    const timeZone = job.timeZone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : job.timeZone;
    try {
      workspace.plan(job.pipeline);
    } catch (cause) {
      throw new ConfigError('schedule', `${name}: its pipeline "${job.pipeline}" does not load.`, {
        file,
        cause,
        remedy: `Run \`pipeline check ${job.pipeline}\`.`,
      });
    }
    return {
      name,
      pipeline: job.pipeline,
      cron: job.cron,
      timeZone,
      timeoutMs: job.timeout,
      onFailure: job.onFailure,
      catchUp: job.catchUp,
      jitterMs: job.jitter,
      occurrences: occurrences(job.cron, timeZone, name),
    };
  });
}

/** One JSON line a run or miss, appended; survives everything but deletion. */
export class ScheduleHistory {
  readonly file: string;

  constructor({ dbFile }: Pick<Workspace, 'dbFile'>) {
    this.file = join(dirname(dbFile), 'schedule.jsonl');
  }

  add(entry: HistoryEntry): void {
    mkdirSync(dirname(this.file), { recursive: true });
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  /** Drops entries that were due before a time; says how many and how many bytes. */
  forgetBefore(ms: number, apply: boolean): { readonly count: number; readonly bytes: number } {
    const entries = this.read();
    const kept = entries.filter(({ due }) => Date.parse(due) >= ms);
    const count = entries.length - kept.length;
    if (count === 0) return { count, bytes: 0 };
    const text = kept.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const bytes = readFileSync(this.file).length - Buffer.byteLength(text);
    if (apply) {
      // Written aside first: a crash must not cost the whole history.
      writeFileSync(`${this.file}.new`, text);
      renameSync(`${this.file}.new`, this.file);
    }
    return { count, bytes };
  }

  /** All entries, oldest first; a line cut by a crash is passed over. */
  read(): HistoryEntry[] {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return line === '' ? [] : [JSON.parse(line) as HistoryEntry];
        } catch {
          return [];
        }
      });
  }
}

/** Runs one job now, with its timeout; used by the schedule and by `schedule run NAME`. */
export async function runJob(
  workspace: Workspace,
  { name, pipeline, timeoutMs }: VaultJob,
  signal: AbortSignal,
): Promise<void> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // Another program may be writing the index: the run waits for it within its own time.
  // What does not stop by itself when asked is aborted a little later.
  const abort = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + STOPPING_MS)]);
  const { report, followed } = await workspace.run(pipeline, { stop, signal: abort, lockWaitMs: timeoutMs });
  const failed = [report, ...followed].flatMap((r) => r.failed);
  if (report.interrupted)
    throw new PipelineError(
      'schedule-stopped',
      `${name} was stopped after ${report.seconds} s; what was finished stays.`,
    );
  if (failed.length > 0)
    throw new PipelineError('schedule-items', `${failed.length} item(s) failed, first: ${failed[0]?.reason ?? ''}`);
}

export function jobNamed(jobs: readonly VaultJob[], name: string): VaultJob {
  const job = jobs.find((j) => j.name === name);
  if (!job)
    throw new ConfigError('unknown-job', `There is no job named "${name}".`, {
      remedy: suggest(
        name,
        jobs.map((j) => j.name),
      ),
    });
  return job;
}

/** The engine on this vault, resuming where the history ends. `random` is 0..1, for jitter. */
export function openEngine(
  workspace: Workspace,
  jobs: readonly VaultJob[],
  history: ScheduleHistory,
  random: () => number,
  onRecord: (entry: HistoryEntry) => Promise<void> = async () => undefined,
): ScheduleEngine {
  const resumeFrom = new Map<string, number>();
  for (const { job, due } of history.read()) resumeFrom.set(job, Math.max(resumeFrom.get(job) ?? 0, Date.parse(due)));
  return new ScheduleEngine({
    jobs,
    now: () => workspace.clock.now(),
    random,
    lateAfterMs: LATE_AFTER_MS,
    resumeFrom,
    record: async (entry) => {
      history.add(entry);
      await onRecord(entry);
    },
    run: (name, signal) => runJob(workspace, jobNamed(jobs, name), signal),
  });
}
