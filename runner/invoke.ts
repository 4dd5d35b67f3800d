/** Calls one stage body: context, timing, retries, error policy, and wrapping what it gives into items. */
import { describeError, messageOf, PipelineError, StageError } from './errors.js';
import { derive, type Item, type Kind, makeItem } from './items.js';
import type { Observer, Recorder, Settled } from './observe.js';
import type { StageStep } from './plan.js';
import type { ResourceName, ResourceTypes } from './resources.js';
import type { RunOptions } from './run.js';
import { type Drop, isDrop, type StageContext } from './stage.js';

export interface Body {
  run: (...args: unknown[]) => unknown;
  close?: () => Promise<void> | void;
}

/** One stage of one run, ready to be called. */
export interface Invocation {
  readonly step: StageStep;
  /** Made at the first call, once a run: a stage that no item reaches loads nothing. */
  body(): Promise<Body>;
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** In a query an item's failure is the query's failure; in a batch it is the item's. */
  readonly queryMode: boolean;
  readonly input: Item | undefined;
  readonly recipe: string;
  readonly options: RunOptions;
  readonly recorder: Recorder;
  settle(event: Settled): Promise<void>;
  notice(code: string, message: string): void;
}

const RETRIES = 3;
const FIRST_DELAY_MS = 500;

/** Pulls a source stage. Its errors stop the run: what cannot be read at all has no item to blame. */
export async function* invokeSource(call: Invocation): AsyncGenerator<Item> {
  const { step } = call;
  const ctx = context(call, undefined, []);
  let started = performance.now();
  try {
    const iterate = (await call.body()).run as (ctx: StageContext) => AsyncIterable<{ id?: string; data: never }>;
    for await (const { id, data } of iterate(ctx)) {
      count(call, 0, 1, started);
      yield makeItem(step.stage.gives as Kind, data, id);
      started = performance.now();
    }
    count(call, 0, 0, started);
  } catch (error) {
    throw new StageError(step.stage.name, undefined, error);
  }
}

/** Runs an `each` or `sink` stage on one item. */
export async function invokeEach(call: Invocation, item: Item): Promise<readonly Item[]> {
  const notes: string[] = [];
  const ctx = context(call, item, notes);
  const started = performance.now();
  try {
    const body = await call.body();
    const given = await attempt(call, () => body.run(item.data, ctx));
    const items = await wrap(call, item, given, notes);
    count(call, 1, items.length, started);
    return items;
  } catch (error) {
    count(call, 1, 0, started);
    await failItem(call, item, error);
    return [];
  }
}

/** Runs a `batch` or `all` stage on a list. A failing batch is tried again item by item, so that one item cannot take its neighbours down. */
export async function invokeList(call: Invocation, items: readonly Item[]): Promise<readonly Item[]> {
  const started = performance.now();
  const all = call.step.stage.mode === 'all';
  try {
    const ctx = context(call, undefined, []);
    const body = await call.body();
    const given = (await attempt(call, () => body.run(all ? items : items.map((i) => i.data), ctx))) as unknown[];
    const out = all ? wrapList(call, items, given) : await wrapBatch(call, items, given);
    count(call, items.length, out.length, started);
    return out;
  } catch (error) {
    count(call, items.length, 0, started);
    if (!all && items.length > 1 && !mustStop(call, error)) {
      const singles: Item[] = [];
      for (const item of items) singles.push(...(await invokeList(call, [item])));
      return singles;
    }
    const [first] = items;
    if (all || !first) throw new StageError(call.step.stage.name, undefined, error);
    await failItem(call, first, error);
    return [];
  }
}

async function attempt<T>(call: Invocation, work: () => T): Promise<Awaited<T>> {
  for (let tries = 0; ; tries++) {
    try {
      call.signal.throwIfAborted();
      return await untilAborted(work(), call.signal);
    } catch (error) {
      const wrapped = new StageError(call.step.stage.name, undefined, error);
      if (call.step.onError !== 'retry' || !wrapped.transient || tries >= RETRIES) throw error;
      await (call.options.delay ?? realDelay)(wrapped.retryAfterMs ?? FIRST_DELAY_MS * 2 ** tries, call.signal);
    }
  }
}

/** Settles with the work, or rejects as soon as the signal aborts: a stage that ignores its signal cannot hold a query. */
function untilAborted<T>(work: T, signal: AbortSignal): Promise<Awaited<T>> {
  if (!(work instanceof Promise)) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve as (value: unknown) => void, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function realDelay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

async function wrap(call: Invocation, item: Item, given: unknown, notes: readonly string[]): Promise<readonly Item[]> {
  const { stage } = call.step;
  if (isDrop(given)) {
    await dropItem(call, item, given);
    return [];
  }
  const kind = kindOut(call, item);
  const many = Array.isArray(given) ? (given as never[]) : [given as never];
  if (kind === 'nothing') return many.length === 0 ? [] : [item];
  const entry = { stage: stage.name, at: at(call), what: notes.length > 0 ? notes.join('; ') : 'ok' };
  return many.map((data, i) => derive(item, kind, data, many.length > 1 ? `${item.id}#${i + 1}` : item.id, entry));
}

async function wrapBatch(call: Invocation, items: readonly Item[], given: readonly unknown[]): Promise<Item[]> {
  if (given.length !== items.length) {
    throw new PipelineError(
      'batch-shape',
      `Stage "${call.step.stage.name}" gave ${given.length} results for ${items.length} items.`,
    );
  }
  const out: Item[] = [];
  for (const [i, item] of items.entries()) out.push(...(await wrap(call, item, given[i], [])));
  return out;
}

/** What an `all` stage gives keeps the identity of an input item where the data is one of theirs. */
function wrapList(call: Invocation, items: readonly Item[], given: readonly unknown[]): Item[] {
  const kind = call.step.stage.gives;
  const known = new Map<unknown, Item>(items.map((item) => [item.data, item]));
  return given.map(
    (data) => known.get(data) ?? makeItem((kind === 'same' ? items[0]?.kind : kind) as Kind, data as never),
  );
}

function kindOut(call: Invocation, item: Item): Kind | 'nothing' {
  const { gives } = call.step.stage;
  return gives === 'same' ? item.kind : gives;
}

async function dropItem(call: Invocation, item: Item, dropped: Drop): Promise<void> {
  const { recorder, step } = call;
  recorder.dropped[dropped.reason] = (recorder.dropped[dropped.reason] ?? 0) + 1;
  const what = dropped.detail ? `dropped: ${dropped.reason} (${dropped.detail})` : `dropped: ${dropped.reason}`;
  const entry = { stage: step.stage.name, at: at(call), what };
  // The dropping stage may know more than came in (scores); the kind then is what it would have given.
  const kind = dropped.data === undefined ? item.kind : (kindOut(call, item) as Kind);
  const last = derive(item, kind, (dropped.data ?? item.data) as never, item.id, entry);
  await call.settle({
    item: last,
    outcome: 'dropped',
    stage: step.stage.name,
    reason: dropped.reason,
    ...(dropped.detail === undefined ? {} : { detail: dropped.detail }),
  });
}

function mustStop(call: Invocation, error: unknown): boolean {
  return (
    call.queryMode ||
    call.step.onError === 'stop' ||
    call.signal.aborted ||
    (error instanceof PipelineError && error.fatal)
  );
}

async function failItem(call: Invocation, item: Item, error: unknown): Promise<void> {
  const { name } = call.step.stage;
  if (mustStop(call, error)) throw error instanceof StageError ? error : new StageError(name, item.id, error);
  await recordFailure(call, item.id, error);
  const last = derive(item, item.kind, item.data, item.id, {
    stage: name,
    at: at(call),
    what: `failed: ${messageOf(error)}`,
  });
  await call.settle({ item: last, outcome: 'failed', stage: name, reason: messageOf(error), error });
}

function recordFailure(call: Invocation, id: string, error: unknown): void {
  call.recorder.failed.push({
    id,
    stage: call.step.stage.name,
    code: error instanceof PipelineError ? error.code : 'stage-failed',
    reason: describeError(error),
  });
}

function context(call: Invocation, item: Item | undefined, notes: string[]): StageContext {
  const { options, step, recorder } = call;
  const observers: readonly Observer[] = options.observers ?? [];
  return {
    signal: call.signal,
    now: () => options.clock.now(),
    log: (level, message) => {
      for (const observer of observers) observer.log?.(level, step.stage.name, message);
    },
    note: (what) => {
      notes.push(what);
    },
    notice: (code, message) => call.notice(code, message),
    report: (key, value) => {
      recorder.reports[key] = value;
      for (const observer of observers) observer.report?.(key, value);
    },
    fail: (id, error) => recordFailure(call, id, error),
    use: <R extends ResourceName>(name: R): Promise<ResourceTypes[R]> => options.resources.use(name),
    written: () => {
      recorder.written++;
    },
    item,
    input: call.input,
    dryRun: options.dryRun ?? false,
    recipe: call.recipe,
    since: options.since,
  };
}

function count(call: Invocation, given: number, gave: number, started: number): void {
  const ms = performance.now() - started;
  const { step, recorder, options } = call;
  recorder.count(step.position, step.stage.name, given, gave, ms);
  for (const observer of options.observers ?? []) {
    observer.stage?.({ stage: step.stage.name, position: step.position, in: given, out: gave, ms });
  }
}

function at(call: Invocation): string {
  return new Date(call.options.clock.now()).toISOString();
}
