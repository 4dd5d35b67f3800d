/** From a composite to a decision, and the one line that says why. */
import type { Decision, Dimension, Scores } from '../../runner/items.js';
import { DIMENSIONS } from './part.js';

/** Inclusive lower bounds of the two bands. */
export interface Thresholds {
  readonly write: number;
  readonly review: number;
}

/** A composite equal to a threshold is in the upper band. */
export function decide(compositeScore: number, thresholds: Thresholds): Exclude<Decision, 'unscored'> {
  if (compositeScore >= thresholds.write) return 'write';
  return compositeScore >= thresholds.review ? 'review' : 'skip';
}

/** `0.63 write to security: relevance 0.80 (domain security), actionability 0.71 (fix: "patched in" in title), …` */
export function explainDecision(scores: Scores, decision: Decision, domain: string): string {
  const parts = DIMENSIONS.map(
    (dimension) => `${dimension} ${scores[dimension].toFixed(2)}${strongest(scores, dimension)}`,
  );
  const where = decision === 'write' ? `write to ${domain}` : `${decision} (${domain})`;
  return `${scores.composite.toFixed(2)} ${where}: ${parts.join(', ')}`;
}

function strongest(scores: Scores, dimension: Dimension): string {
  const [cue] = scores.evidence[dimension];
  if (!cue) return '';
  const text = cue.cue.length > 60 ? `${cue.cue.slice(0, 59)}…` : cue.cue;
  return ` (${text})`;
}
