/** `--weights`, `--threshold` and `--preset` as `score`, `replay` and `score tune` take them. */

import { type Weights, weightsSchema } from '../../lib/scoring/config.js';
import { DIMENSIONS } from '../../lib/scoring/part.js';
import type { Thresholds } from '../../lib/scoring/route.js';
import type { Scorer } from '../../lib/scoring/scorer.js';
import { ConfigError, suggest } from '../../runner/errors.js';
import type { Dimension } from '../../runner/items.js';
import type { Routing } from '../../workspace/routing.js';

export interface RoutingFlags {
  readonly weights?: string;
  readonly threshold?: string;
  readonly preset?: string;
}

/** The routing in force with what the command line says over it. Throws `ConfigError` for anything it cannot read. */
export function withFlags(routing: Routing, flags: RoutingFlags, scorer: Scorer): Routing {
  const base = flags.preset === undefined ? routing.weights : scorer.weights(flags.preset);
  return {
    weights: flags.weights === undefined ? base : parseWeights(flags.weights, base),
    thresholds:
      flags.threshold === undefined ? routing.thresholds : parseThresholds(flags.threshold, routing.thresholds),
  };
}

/** `0.4/0.3/0.2/0.1` in the order of the dimensions, or `relevance=0.4,depth=0.2` over the present ones. */
export function parseWeights(text: string, base: Weights): Weights {
  const numbers = text.split('/').map(Number);
  const weights: Record<Dimension, number> = { ...base };
  if (numbers.length === DIMENSIONS.length)
    for (const [at, dimension] of DIMENSIONS.entries()) weights[dimension] = numbers[at] ?? Number.NaN;
  else Object.assign(weights, parsePairs('--weights', text, DIMENSIONS));
  const parsed = weightsSchema.safeParse(weights);
  if (parsed.success) return parsed.data;
  throw new ConfigError('weights', `--weights ${text}: ${parsed.error.issues[0]?.message ?? 'cannot be read'}.`, {
    remedy: 'Write --weights 0.35/0.25/0.25/0.15 (relevance, actionability, depth, authority).',
  });
}

/** `0.6` (write), `write=0.6`, or `write=0.6,review=0.2`. */
export function parseThresholds(text: string, base: Thresholds): Thresholds {
  const plain = Number(text);
  const given =
    text.trim() !== '' && Number.isFinite(plain)
      ? { write: plain }
      : parsePairs('--threshold', text, ['write', 'review']);
  const thresholds = { ...base, ...given };
  const bad = [thresholds.write, thresholds.review].some((t) => t < 0 || t > 1) || thresholds.review > thresholds.write;
  if (bad)
    throw new ConfigError('thresholds', `--threshold ${text}: both must lie in 0..1, and review not above write.`, {
      remedy: `In force are write=${base.write},review=${base.review}.`,
    });
  return thresholds;
}

function parsePairs(flag: string, text: string, known: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
      if (!known.includes(name))
        throw new ConfigError('option', `${flag}: "${name}" is not one of ${known.join(', ')}.`, {
          remedy: suggest(name, known),
        });
      const number = Number(value);
      if (value === '' || !Number.isFinite(number))
        throw new ConfigError('option', `${flag}: "${pair}" has no number.`);
      return [name, number];
    }),
  );
}
