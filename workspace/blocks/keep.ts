/** Keeps blocks current: after each index pass, here or on another machine, and when a block's time is up. */
import { messageOf } from '../../runner/errors.js';
import { type Timers, type WatchOptions, watchVault } from '../watch.js';
import type { Workspace } from '../workspace.js';
import { blockStates, type Refreshed, refreshBlocks } from './blocks.js';

export interface BlockKeepingOptions extends Pick<WatchOptions, 'quietMs' | 'signal' | 'onProblem'> {
  /** Also index notes as they are written (default); without it only a server tells of changes. */
  readonly watch?: boolean;
  onRefreshed(blocks: readonly Refreshed[]): void;
  readonly timers?: Timers;
}

/** `setTimeout` takes no longer wait than 24.8 days; a block that lives longer is looked at in between. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** An index run on a server commits every few notes: blocks are looked at this often meanwhile. */
const COMMITS_MS = 2000;

/** Keeps them until the signal aborts. A refresh that fails is reported and tried again at the next occasion. */
export async function keepBlocks(workspace: Workspace, options: BlockKeepingOptions): Promise<void> {
  const { signal, onProblem, quietMs, timers, watch = true } = options;
  const after = timers?.after ?? realAfter;
  let cancel: () => void = () => undefined;
  let waiting = false;
  let running: Promise<void> = Promise.resolve();
  const refresh = (): void => {
    if (waiting) return;
    waiting = true;
    running = running.then(async () => {
      waiting = false;
      if (signal.aborted) return;
      cancel();
      try {
        const refreshed = await refreshBlocks(workspace);
        if (refreshed.some(({ change }) => change !== 'unchanged')) options.onRefreshed(refreshed);
      } catch (error) {
        onProblem?.(`blocks: ${messageOf(error)}`);
      }
      cancel = after(await untilNextExpiry(workspace), refresh);
    });
  };
  const hearing = await hearCommits(workspace, { signal, after, refresh, onProblem });
  if (watch)
    await watchVault(workspace, {
      signal,
      ...(quietMs === undefined ? {} : { quietMs }),
      ...(timers ? { timers } : {}),
      ...(onProblem ? { onProblem } : {}),
      onPass: () => refresh(),
    });
  else {
    refresh();
    await aborted(signal);
  }
  hearing();
  cancel();
  await running;
}

interface Hearing {
  readonly signal: AbortSignal;
  readonly after: Timers['after'];
  readonly refresh: () => void;
  readonly onProblem: BlockKeepingOptions['onProblem'];
}

/** Refreshes soon after somebody else's commit, where the store can tell. Gives a way to call the pending one off. */
async function hearCommits(workspace: Workspace, { signal, after, refresh, onProblem }: Hearing): Promise<() => void> {
  let callOff: (() => void) | undefined;
  try {
    const store = await workspace.resources.use('store');
    await store.onCommit?.(() => {
      callOff ??= after(COMMITS_MS, () => {
        callOff = undefined;
        refresh();
      });
    }, signal);
  } catch (error) {
    onProblem?.(`blocks: ${messageOf(error)}`);
  }
  return () => callOff?.();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
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
