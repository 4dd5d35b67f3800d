/** Proposes weights, write threshold and source priors from the user's judgements, and says what they would gain. */
import type { Dimension } from '../../runner/items.js';
import type { AuthorityConfig, Weights } from './config.js';
import { DIMENSIONS } from './part.js';
import { composite } from './scorer.js';

/** A judged item: its four parts, and whether the user wanted it. */
export interface Example {
  readonly id: string;
  readonly source: string;
  readonly parts: Readonly<Record<Dimension, number>>;
  readonly kept: boolean;
}

export interface Rules {
  readonly weights: Weights;
  /** Composite from which an item is filed. */
  readonly write: number;
}

export interface Proposal {
  readonly rules: Rules;
  /** Balanced accuracy on items that were not looked at while fitting, mean over the folds. */
  readonly now: number;
  readonly expected: number;
  /** Priors of sources with enough judgements that differ from the present value. */
  readonly feeds: Readonly<Record<string, number>>;
}

export interface TooFew {
  readonly refused: string;
}

/** Below these, any fit would follow chance: with 20 of each kind one item moves balanced accuracy by 2.5 points. */
export const MIN_LABELS = 40;
export const MIN_EACH = 15;
const FOLDS = 5;
/** Weights are tried on a grid this fine; finer ones differ by less than the noise of a few hundred labels. */
const STEP = 0.05;
/** What moving all weight elsewhere would have to gain: keeps proposals near what the user knows. */
const CAUTION = 0.1;
/** A proposal that gains less than this is not worth a change. */
export const MIN_GAIN = 0.01;
/** The latest labels only: tastes change, and the grid costs 969 evaluations a label and fold. */
const MAX_EXAMPLES = 1500;
const MIN_SOURCE_LABELS = 5;

/** Deterministic. Refuses when labels are too few or too one-sided. */
export function tune(all: readonly Example[], now: Rules, authority: AuthorityConfig): Proposal | TooFew {
  const examples = all.slice(-MAX_EXAMPLES);
  const kept = examples.filter((e) => e.kept).length;
  const discarded = examples.length - kept;
  if (examples.length < MIN_LABELS || Math.min(kept, discarded) < MIN_EACH)
    return {
      refused: `There are ${examples.length} judgements (${kept} kept, ${discarded} discarded); ${MIN_LABELS} with at least ${MIN_EACH} of each are needed.`,
    };
  let before = 0;
  let after = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const held = examples.filter((_, at) => at % FOLDS === fold);
    const seen = examples.filter((_, at) => at % FOLDS !== fold);
    before += balancedAccuracy(held, now) / FOLDS;
    after += balancedAccuracy(held, fitRules(seen, now)) / FOLDS;
  }
  return { rules: fitRules(examples, now), now: before, expected: after, feeds: feedPriors(examples, authority) };
}

/** Mean of the shares of kept items that are filed and of discarded ones that are not; 0.5 is chance. */
export function balancedAccuracy(examples: readonly Example[], { weights, write }: Rules): number {
  let filed = 0;
  let kept = 0;
  let left = 0;
  for (const example of examples) {
    const isFiled = composite(example.parts, weights) >= write;
    if (example.kept) {
      kept++;
      if (isFiled) filed++;
    } else if (!isFiled) left++;
  }
  const discarded = examples.length - kept;
  // A fold without one kind says nothing about it.
  if (kept === 0 || discarded === 0) return kept === 0 ? left / Math.max(1, discarded) : filed / kept;
  return (filed / kept + left / discarded) / 2;
}

function fitRules(examples: readonly Example[], now: Rules): Rules {
  let best = now;
  let most = balancedAccuracy(examples, now);
  for (const weights of weightGrid()) {
    const moved = DIMENSIONS.reduce((sum, d) => sum + Math.abs(weights[d] - now.weights[d]), 0) / 2;
    const { write, accuracy } = bestThreshold(examples, weights, now.write);
    const value = accuracy - CAUTION * (moved + Math.abs(write - now.write));
    if (value > most + 1e-9) [most, best] = [value, { weights, write }];
  }
  return best;
}

/**
 * The threshold with the best balanced accuracy for these weights; the nearest to the present one among equals.
 * Composites (thousandths) and verdicts are packed into one number each, so that sorting is native: the grid sorts
 * every example six thousand times.
 */
function bestThreshold(
  examples: readonly Example[],
  weights: Weights,
  now: number,
): { write: number; accuracy: number } {
  const packed = new Float64Array(examples.length);
  let kept = 0;
  for (const [at, { parts, kept: isKept }] of examples.entries()) {
    if (isKept) kept++;
    packed[at] = Math.round(1000 * dot(parts, weights)) * 2 + (isKept ? 1 : 0);
  }
  packed.sort();
  const discarded = examples.length - kept;
  let best = { write: now, accuracy: -1 };
  let filedKept = 0;
  let filedDiscarded = 0;
  for (let at = packed.length - 1; at >= 0; at--) {
    const here = packed[at] ?? 0;
    if (here % 2 === 1) filedKept++;
    else filedDiscarded++;
    const below = packed[at - 1] ?? here;
    if (at > 0 && Math.floor(below / 2) === Math.floor(here / 2)) continue;
    const accuracy = (filedKept / kept + (discarded - filedDiscarded) / discarded) / 2;
    // Between two items, where neither is near it.
    const write = Math.round((Math.floor(here / 2) + Math.floor(below / 2)) / 20) / 100;
    const isNearer = accuracy === best.accuracy && Math.abs(write - now) < Math.abs(best.write - now);
    if (accuracy > best.accuracy || isNearer) best = { write, accuracy };
  }
  return best;
}

function dot(parts: Example['parts'], weights: Weights): number {
  return (
    parts.relevance * weights.relevance +
    parts.actionability * weights.actionability +
    parts.depth * weights.depth +
    parts.authority * weights.authority
  );
}

/** All weights in steps of 0.05 that sum to 1 and leave no dimension out: 969 of them. */
function* weightGrid(): Generator<Weights> {
  const steps = Math.round(1 / STEP);
  for (let r = 1; r < steps; r++)
    for (let a = 1; a < steps - r; a++)
      for (let d = 1; d < steps - r - a; d++) {
        const share = (n: number) => Math.round(n * STEP * 100) / 100;
        yield { relevance: share(r), actionability: share(a), depth: share(d), authority: share(steps - r - a - d) };
      }
}

/** Share of kept items, drawn towards the neutral value while judgements are few. */
function feedPriors(
  examples: readonly Example[],
  { neutral, feeds, history }: AuthorityConfig,
): Record<string, number> {
  const sources = new Map<string, { kept: number; all: number }>();
  for (const { source, kept } of examples) {
    const known = sources.get(source) ?? { kept: 0, all: 0 };
    sources.set(source, { kept: known.kept + (kept ? 1 : 0), all: known.all + 1 });
  }
  const priors: Record<string, number> = {};
  for (const [source, { kept, all }] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (all < MIN_SOURCE_LABELS || source === '') continue;
    const base = feeds[source] ?? neutral;
    const prior = Math.round(((base * history.strength + kept) / (history.strength + all)) * 100) / 100;
    if (Math.abs(prior - base) >= 0.05) priors[source] = prior;
  }
  return priors;
}
