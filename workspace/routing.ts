/** The weights and thresholds in force: those of the vault's ingest pipeline, so that every tool judges as intake does. */
import type { Weights } from '../lib/scoring/config.js';
import type { Thresholds } from '../lib/scoring/route.js';
import type { Scorer } from '../lib/scoring/scorer.js';
import { ConfigError } from '../runner/errors.js';
import { type Plan, stageSteps } from '../runner/plan.js';

export interface Routing {
  readonly weights: Weights;
  readonly thresholds: Thresholds;
}

/** Reads them from the `score` and `route` steps of a plan. */
export function routingOf(plan: Plan, scorer: Scorer): Routing {
  let weights: Weights | undefined;
  let thresholds: Thresholds | undefined;
  for (const { stage, config } of stageSteps(plan.steps)) {
    if (stage.name === 'score') {
      const own = config as { weights?: Weights; preset?: string };
      weights ??= own.weights ?? scorer.weights(own.preset);
    }
    if (stage.name === 'route') thresholds ??= config as Thresholds;
  }
  return { weights: weights ?? scorer.weights(), thresholds: thresholds ?? DEFAULTS };
}

/** The routing of the pipeline that `load` gives; the defaults when the vault has no such pipeline. */
export function ingestRouting(load: () => Plan, scorer: Scorer): Routing {
  try {
    return routingOf(load(), scorer);
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'unknown-pipeline')
      return { weights: scorer.weights(), thresholds: DEFAULTS };
    throw error;
  }
}

/** For a pipeline without a `route` step; equal to that stage's own defaults (tested). */
export const DEFAULTS: Thresholds = { write: 0.55, review: 0.3 };
