/** A loaded pipeline: checked, frozen, reusable by any number of runs. */
import { createHash } from 'node:crypto';
import type { Kind } from './items.js';
import type { AnyStage } from './stage.js';

/** What happens to an item whose stage throws. `retry` tries transient errors again, then behaves as `skip`. */
export type OnError = 'skip' | 'retry' | 'stop';

export interface StageStep {
  readonly type: 'stage';
  /** `3` or, in a branch, `2.text.1`; counts from 1. */
  readonly position: string;
  readonly line: number;
  readonly stage: AnyStage;
  /** Output of the stage's config schema. */
  readonly config: unknown;
  readonly onError: OnError;
}

export interface Branch {
  readonly name: string;
  /** A failing optional branch gives a notice and no items. */
  readonly optional: boolean;
  readonly steps: readonly PlanStep[];
}

export interface ParallelStep {
  readonly type: 'parallel';
  readonly position: string;
  readonly line: number;
  readonly branches: readonly Branch[];
  /** How many branches must succeed. */
  readonly atLeast: number;
}

export type PlanStep = StageStep | ParallelStep;

export interface Plan {
  readonly name: string;
  readonly summary: string;
  readonly file: string;
  readonly mode: 'batch' | 'query';
  readonly readOnly: boolean;
  readonly offline: boolean;
  /** Milliseconds for a query run; undefined: none. */
  readonly deadlineMs: number | undefined;
  readonly concurrency: number;
  /** What a run must be given: a kind, or nothing when the pipeline starts with a source. */
  readonly input: Kind | 'nothing' | 'any';
  readonly output: Kind | 'nothing' | 'any';
  readonly steps: readonly PlanStep[];
  /** Pipelines to run after this one, by name. */
  readonly followedBy: readonly string[];
}

/** All stage steps of a plan in reading order, branches included. */
export function* stageSteps(steps: readonly PlanStep[]): Generator<StageStep> {
  for (const step of steps) {
    if (step.type === 'stage') yield step;
    else for (const branch of step.branches) yield* stageSteps(branch.steps);
  }
}

/**
 * Fingerprint of what a plan does to an item: its stages and their settings, without the sources (which decide what
 * comes in) and the stages that write (where it goes). The same input under the same recipe gives the same output, so a
 * source may leave out what is stored under it.
 */
export function recipeOf(plan: Plan): string {
  const shaping = [...stageSteps(plan.steps)].filter(
    ({ stage }) => stage.mode !== 'source' && !stage.effects.includes('writes'),
  );
  const text = JSON.stringify(shaping.map(({ stage, config }) => [stage.name, config]));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
