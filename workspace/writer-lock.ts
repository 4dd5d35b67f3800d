/** Runs that write the index hold its writer's lock from beginning to end. */
import { type Plan, stageSteps } from '../runner/plan.js';
import type { LockOptions } from '../store/sqlite/lock.js';
import { isOnServer } from './server.js';
import type { Workspace } from './workspace.js';

/** True for plans with a stage that writes to the store. */
export function writesIndex(plan: Plan): boolean {
  return [...stageSteps(plan.steps)].some(
    ({ stage }) => stage.effects.includes('writes') && stage.needs.includes('store'),
  );
}

/** Runs `work` as the only writer. Throws `index-locked` when another process writes. */
export async function withWriterLock<T>(
  { settings, resources, dbFile }: Pick<Workspace, 'settings' | 'resources' | 'dbFile'>,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (isOnServer(settings)) {
    const store = await resources.use('store');
    return store.exclusively ? store.exclusively(options, work) : work();
  }
  const { acquireWriterLock } = await import('../store/sqlite/lock.js');
  const lock = await acquireWriterLock(dbFile, options);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
