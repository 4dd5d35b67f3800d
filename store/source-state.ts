/** How a source's fetch state changes: rests after failures, and a 304 that is only trusted when nothing was lost. */
import { backOffMs } from '../lib/feeds/fetch-state.js';
import { messageOf, PipelineError } from '../runner/errors.js';
import type { Ledger, SourceState } from './ledger.js';

const DAY_MS = 86_400_000;
/** A failed item makes its feed be asked for in full this long; then it is given up. */
const RETRY_FAILED_FOR_MS = 3 * DAY_MS;

export function newSourceState(name: string): SourceState {
  return { name, failures: 0, items: 0 };
}

/** Why a source is not to be asked now: it rests after a failure, or was asked recently enough. */
export function restOf(
  state: SourceState,
  every: number | undefined,
  now: number,
): { readonly until: string; readonly because: 'failure' | 'recent' } | undefined {
  if (state.pausedUntil !== undefined && Date.parse(state.pausedUntil) > now)
    return { until: state.pausedUntil, because: 'failure' };
  const due = every === undefined || state.lastOk === undefined ? 0 : Date.parse(state.lastOk) + every;
  return due > now ? { until: new Date(due).toISOString(), because: 'recent' } : undefined;
}

/** The state after an answer, be it only "not modified". */
export function afterSuccess(state: SourceState, now: number): SourceState {
  const { lastError: _error, pausedUntil: _paused, ...rest } = state;
  const at = new Date(now).toISOString();
  return { ...rest, failures: 0, firstOk: state.firstOk ?? at, lastOk: at };
}

export interface Answered {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Identities of each item, strongest first, joined by a space. */
  readonly given: readonly string[];
  readonly idRule: NonNullable<SourceState['idRule']>;
}

/** The state after a full answer. */
export function afterItems(state: SourceState, answer: Answered, now: number): SourceState {
  const { etag: _etag, lastModified: _modified, ...rest } = afterSuccess(state, now);
  const fresh = answer.given.filter((id) => !state.given?.includes(id)).length;
  return {
    ...rest,
    ...(answer.etag === undefined ? {} : { etag: answer.etag }),
    ...(answer.lastModified === undefined ? {} : { lastModified: answer.lastModified }),
    ...(fresh > 0 ? { lastItem: new Date(now).toISOString() } : {}),
    items: state.items + fresh,
    idRule: answer.idRule,
    given: answer.given,
  };
}

/** Whether an error says nothing about the source itself: its host rests because of another one. */
export function isHostResting(error: unknown): boolean {
  return error instanceof PipelineError && error.code === 'http-paused';
}

/** The state after a failure: the reason is kept, and the source rests as long as the server said, or ever longer. */
export function afterFailure(state: SourceState, error: unknown, now: number): SourceState {
  const stated = error instanceof PipelineError ? error.retryAfterMs : undefined;
  const failures = isHostResting(error) ? state.failures : state.failures + 1;
  return {
    ...state,
    failures,
    lastError: messageOf(error),
    pausedUntil: new Date(now + (stated ?? backOffMs(failures))).toISOString(),
  };
}

export type SourceHealth = 'never read' | 'ok' | 'failed lately' | 'failing' | 'silent';

/** How a source has been doing; `failingAfter` failures in a row, `silentAfter` days without anything new. */
export function sourceHealth(
  state: SourceState | undefined,
  limits: { readonly failingAfter: number; readonly silentAfter: number },
  now: number,
): SourceHealth {
  const failures = state?.failures ?? 0;
  if (failures >= limits.failingAfter) return 'failing';
  if (failures > 0) return 'failed lately';
  if ((silentDays(state, now) ?? 0) >= limits.silentAfter) return 'silent';
  return state?.lastOk === undefined ? 'never read' : 'ok';
}

/** Whole days since the source had something new, or since its first answer; undefined before that. */
export function silentDays(state: SourceState | undefined, now: number): number | undefined {
  const last = state?.lastItem ?? state?.firstOk;
  return last === undefined ? undefined : Math.max(0, Math.floor((now - Date.parse(last)) / DAY_MS));
}

/**
 * Whether a 304 may be asked for: everything the last answer held has a ledger row. After a kill in mid-run it has
 * not, and the feed is asked for in full; so it is while an item failed lately.
 */
export async function lastAnswerIsSafe(
  state: SourceState,
  ledger: Pick<Ledger, 'find'>,
  now: number,
): Promise<boolean> {
  for (const id of state.given ?? []) {
    const row = await ledger.find(id.split(' '));
    if (!row) return false;
    const unsettled = row.outcome === 'failed' || row.outcome === 'unscored';
    if (unsettled && now - Date.parse(row.firstSeen) < RETRY_FAILED_FOR_MS) return false;
  }
  return true;
}
