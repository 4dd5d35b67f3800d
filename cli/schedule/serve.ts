/** Keeps the schedule running in the foreground: node-cron beats once a minute, the engine decides. */
import { schedule as beat } from 'node-cron';
import { acquireWriterLock } from '../../store/sqlite/lock.js';
import { openEngine, ScheduleHistory, scheduledJobs } from '../../workspace/schedule.js';
import { ScheduleHealth } from '../../workspace/schedule-health.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Output } from '../output.js';

/** Time a run has to finish after SIGTERM. */
const GRACE_MS = 45_000;

/** Runs until `stop`; one schedule a vault, the second says who holds it. */
export async function serveSchedule(workspace: Workspace, output: Output, stop: AbortSignal): Promise<void> {
  const jobs = scheduledJobs(workspace);
  const lock = await acquireWriterLock(`${workspace.dbFile}.schedule`, {
    command: 'pipeline schedule',
    now: () => workspace.clock.now(),
  });
  try {
    const history = new ScheduleHistory(workspace);
    const health = new ScheduleHealth(workspace, jobs, history);
    const engine = openEngine(workspace, jobs, history, Math.random, (entry) => health.note(entry));
    for (const { job, at } of engine.upcoming())
      await output.info(`${job}: next at ${at === undefined ? 'never' : new Date(at).toISOString()}`);
    const tick = async (): Promise<void> => {
      await engine.tick();
      await health.write();
    };
    const heart = beat('* * * * *', tick, { name: 'sluice', suppressMissedWarning: true });
    await tick();
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await heart.destroy();
    await engine.stop(GRACE_MS, (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()));
  } finally {
    lock.release();
  }
}
