/** The executor: one pull-based code path for intake batches and for queries. Knows no stage. */
import { setMaxListeners } from 'node:events';
import { messageOf, PipelineError, StageError } from './errors.js';
import { type Body, type Invocation, invokeEach, invokeList, invokeSource } from './invoke.js';
import type { Item, Kind } from './items.js';
import { type Observer, Recorder, type RunReport, type RunResult } from './observe.js';
import type { ParallelStep, Plan, PlanStep, StageStep } from './plan.js';
import { recipeOf, stageSteps } from './plan.js';
import type { Clock, Resources } from './resources.js';
import { inBatches, mapOrdered } from './window.js';

export interface RunOptions {
  readonly resources: Resources;
  readonly clock: Clock;
  /** Items for a pipeline that does not start with a source. */
  readonly input?: readonly Item[];
  readonly observers?: readonly Observer[];
  /** Aborts at once: work in flight is told through `ctx.signal`. */
  readonly signal?: AbortSignal;
  /** Stops pulling; items already pulled are finished and reported. */
  readonly stop?: AbortSignal;
  readonly dryRun?: boolean;
  /** Milliseconds since the epoch: sources give only what is newer. */
  readonly since?: number;
  /** Refuse plans with a writing stage (MCP, hooks). */
  readonly readOnly?: boolean;
  /** Keep what comes out of the last step. Always on for query pipelines. */
  readonly collect?: boolean;
  /** Wait before the n-th retry; injected so that tests do not wait. Default: exponential from 500 ms, real time. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A run that ended early keeps its report. */
export class RunError extends PipelineError {
  readonly report: RunReport;
  constructor(cause: unknown, report: RunReport) {
    const inner = cause instanceof PipelineError ? cause : undefined;
    super(
      inner?.code ?? 'run-failed',
      messageOf(cause),
      {
        cause,
        ...(inner?.step === undefined ? {} : { step: inner.step }),
        ...(inner?.file === undefined ? {} : { file: inner.file }),
        ...(inner?.remedy === undefined ? {} : { remedy: inner.remedy }),
      },
      inner?.exitCode ?? 3,
    );
    this.report = report;
  }
}

/**
 * Runs a plan to its end.
 * @returns the report, and for query pipelines (or with `collect`) what came out.
 * @throws {RunError} when a stage fails with `onError: stop`, a fatal error occurs, or the run is aborted. What was
 * finished before stays finished and is in the error's report.
 */
export async function runPlan<K extends Kind = Kind>(plan: Plan, options: RunOptions): Promise<RunResult<K>> {
  refuseWrites(plan, options);
  const recorder = new Recorder(plan, options.clock.now());
  const collect = options.collect ?? plan.mode === 'query';
  const items: Item<K>[] = [];
  const run = new Run(plan, options, recorder);
  try {
    for await (const item of run.flow()) {
      recorder.out++;
      await run.settle({ item, outcome: 'out', stage: run.lastStage });
      if (collect) items.push(item as Item<K>);
    }
  } catch (error) {
    throw new RunError(error, recorder.finish(options.clock.now()));
  }
  return { report: recorder.finish(options.clock.now()), items };
}

function refuseWrites(plan: Plan, options: RunOptions): void {
  if (!options.readOnly) return;
  for (const { stage, position } of stageSteps(plan.steps)) {
    if (!stage.effects.includes('writes')) continue;
    throw new PipelineError('read-only', `Stage "${stage.name}" writes, and this run is read-only.`, {
      file: plan.file,
      step: `step ${position}`,
      remedy: `Run it with \`pipeline run ${plan.name}\` instead.`,
    });
  }
}

class Run {
  readonly lastStage: string;
  private readonly recipe: string;
  private readonly signal: AbortSignal;
  private readonly input: readonly Item[];
  private readonly invocations = new Map<StageStep, Invocation>();
  /** Stage bodies are made once a run; a plan may be run many times. */
  private readonly bodies = new Map<StageStep, Promise<Body>>();

  constructor(
    private readonly plan: Plan,
    private readonly options: RunOptions,
    private readonly recorder: Recorder,
  ) {
    const signals = [options.signal, plan.deadlineMs === undefined ? undefined : AbortSignal.timeout(plan.deadlineMs)];
    this.signal = AbortSignal.any(signals.filter((s) => s !== undefined));
    // Every item in flight listens for the abort; that many listeners are no leak.
    setMaxListeners(0, this.signal);
    this.input = options.input ?? [];
    this.recipe = recipeOf(plan);
    this.lastStage = [...stageSteps(plan.steps)].at(-1)?.stage.name ?? plan.name;
  }

  async *flow(): AsyncGenerator<Item> {
    try {
      yield* this.chain(this.plan.steps, this.given());
    } finally {
      for (const body of [...this.bodies.values()].reverse()) await closeBody(body);
    }
  }

  async settle(event: Parameters<NonNullable<Observer['settled']>>[0]): Promise<void> {
    for (const observer of this.options.observers ?? []) await observer.settled?.(event);
  }

  private async *given(): AsyncGenerator<Item> {
    for (const item of this.input) {
      if (this.options.stop?.aborted) {
        this.recorder.interrupted = true;
        return;
      }
      this.recorder.in++;
      yield item;
    }
  }

  private chain(steps: readonly PlanStep[], source: AsyncIterable<Item>, signal = this.signal): AsyncIterable<Item> {
    let flow = source;
    for (const step of steps) {
      flow = step.type === 'parallel' ? this.parallel(step, flow, signal) : this.stage(step, flow, signal);
    }
    return flow;
  }

  private stage(step: StageStep, upstream: AsyncIterable<Item>, signal: AbortSignal): AsyncIterable<Item> {
    const call = this.invocation(step, signal);
    switch (step.stage.mode) {
      case 'source':
        return this.sourced(call, upstream);
      case 'each':
        return flatten(mapOrdered(upstream, this.plan.concurrency, (item) => invokeEach(call, item)));
      case 'sink':
        return flatten(mapOrdered(upstream, 1, (item) => invokeEach(call, item)));
      case 'batch':
        return flatten(mapOrdered(inBatches(upstream, call.batchSize), 1, (items) => invokeList(call, items)));
      case 'all':
        return flatten(
          mapOrdered(inBatches(upstream, Number.POSITIVE_INFINITY), 1, (items) => invokeList(call, items)),
        );
    }
  }

  /** A source after other steps appends to their stream. */
  private async *sourced(call: Invocation, upstream: AsyncIterable<Item>): AsyncGenerator<Item> {
    yield* upstream;
    for await (const item of invokeSource(call)) {
      this.recorder.in++;
      yield item;
      if (this.options.stop?.aborted) {
        this.recorder.interrupted = true;
        return;
      }
    }
  }

  /** Runs all branches on each item, side by side, and joins their items in branch order. */
  private async *parallel(
    step: ParallelStep,
    upstream: AsyncIterable<Item>,
    signal: AbortSignal,
  ): AsyncGenerator<Item> {
    for await (const item of upstream) {
      const results = await Promise.all(step.branches.map((branch) => this.branch(branch, item, signal)));
      const succeeded = results.filter((r) => r.ok).length;
      if (succeeded < step.atLeast) {
        const failures = results.flatMap((r) => (r.ok ? [] : [r]));
        const [first] = failures;
        // One cause for all, such as a missing index: it knows its remedy better than this step does.
        if (first?.cause instanceof PipelineError && failures.every((f) => f.code === first.code)) throw first.cause;
        const reasons = failures.map((f) => f.reason);
        throw new PipelineError(
          'no-branch',
          `No part of the ${step.branches.map((b) => b.name).join('/')} step could answer: ${reasons.join('; ')}`,
          {
            file: this.plan.file,
            step: `step ${step.position}`,
            remedy: 'Run `pipeline doctor`.',
          },
        );
      }
      for (const result of results) if (result.ok) yield* result.items;
    }
  }

  private async branch(
    branch: ParallelStep['branches'][number],
    item: Item,
    signal: AbortSignal,
  ): Promise<{ ok: true; items: Item[] } | { ok: false; reason: string; code: string; cause: unknown }> {
    const tagged = Object.freeze({ ...item, branch: branch.name });
    const items: Item[] = [];
    try {
      for await (const out of this.chain(branch.steps, only(tagged), signal)) items.push(out);
      return { ok: true, items };
    } catch (error) {
      if (!branch.optional || this.options.signal?.aborted) throw error;
      const cause = error instanceof StageError ? error.cause : error;
      const code = cause instanceof PipelineError ? cause.code : signal.aborted ? 'deadline' : 'branch-failed';
      const reason =
        signal.aborted && !(cause instanceof PipelineError) ? 'it did not answer in time' : messageOf(cause);
      this.notice(code, `${branch.name}: ${reason}`);
      return { ok: false, reason, code, cause };
    }
  }

  private notice(code: string, message: string): void {
    if (!this.recorder.notice(code, message)) return;
    for (const observer of this.options.observers ?? []) observer.notice?.(code, message);
  }

  private invocation(step: StageStep, signal: AbortSignal): Invocation {
    const known = this.invocations.get(step);
    if (known) return known;
    const { batchSize } = step.stage;
    const call: Invocation = {
      step,
      body: () => this.body(step),
      batchSize:
        typeof batchSize === 'function' ? (batchSize as (c: unknown) => number)(step.config) : (batchSize ?? 32),
      signal,
      queryMode: this.plan.mode === 'query',
      input: this.input[0],
      recipe: this.recipe,
      options: this.options,
      recorder: this.recorder,
      settle: (event) => this.settle(event),
      notice: (code, message) => this.notice(code, message),
    };
    this.invocations.set(step, call);
    return call;
  }

  private body(step: StageStep): Promise<Body> {
    let body = this.bodies.get(step);
    if (body === undefined) {
      const create = step.stage.create as (config: unknown) => Body | Promise<Body>;
      body = Promise.resolve(create(step.config));
      this.bodies.set(step, body);
    }
    return body;
  }
}

/** A body that could not be made has failed its item already, and has nothing to close. */
async function closeBody(body: Promise<Body>): Promise<void> {
  await body.then(
    (made) => made.close?.(),
    () => undefined,
  );
}

async function* only(item: Item): AsyncGenerator<Item> {
  yield item;
}

async function* flatten(groups: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const group of groups) yield* group;
}
