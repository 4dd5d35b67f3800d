/** Keeps blocks current while the vault is edited: after each index pass, and when a block's time is up. */
import { messageOf } from '../../runner/errors.js';
import { type Timers, type WatchOptions, watchVault } from '../watch.js';
import type { Workspace } from '../workspace.js';
import { blockStates, type Refreshed, refreshBlocks } from './blocks.js';

export interface BlockWatchOptions extends Pick<WatchOptions, 'quietMs' | 'signal' | 'onProblem'> {
  onRefreshed(blocks: readonly Refreshed[]): void;
  readonly timers?: Timers;
}

/** `setTimeout` takes no longer wait than 24.8 days; a block that lives longer is looked at in between. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Watches until the signal aborts. A refresh that fails is reported and tried again at the next occasion. */
export async function watchBlocks(workspace: Workspace, options: BlockWatchOptions): Promise<void> {
  const after = options.timers?.after ?? realAfter;
  let cancel: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();
  const refresh = (): void => {
    running = running.then(async () => {
      if (options.signal.aborted) return;
      cancel();
      try {
        const refreshed = await refreshBlocks(workspace);
        if (refreshed.some(({ change }) => change !== 'unchanged')) options.onRefreshed(refreshed);
      } catch (error) {
        options.onProblem?.(`blocks: ${messageOf(error)}`);
      }
      cancel = after(await untilNextExpiry(workspace), refresh);
    });
  };
  await watchVault(workspace, {
    signal: options.signal,
    ...(options.quietMs === undefined ? {} : { quietMs: options.quietMs }),
    ...(options.timers ? { timers: options.timers } : {}),
    ...(options.onProblem ? { onProblem: options.onProblem } : {}),
    onPass: () => refresh(),
  });
  cancel();
  await running;
}

async function untilNextExpiry(workspace: Workspace): Promise<number> {
  const now = workspace.clock.now();
  const states = await blockStates(workspace).catch(() => []);
  const expiries = states.flatMap(({ stored }) => (stored ? [Date.parse(stored.expires) - now] : []));
  return Math.min(
    LONGEST_WAIT_MS,
    Math.max(1000, ...(expiries.length > 0 ? [Math.min(...expiries)] : [LONGEST_WAIT_MS])),
  );
}

function realAfter(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
