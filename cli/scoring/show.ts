/** Scores for people: bars, cues, and why the domain. */

import { DIMENSIONS } from '../../lib/scoring/part.js';
import type { Cue, Dimension, Scores } from '../../runner/items.js';

/** `███████░░░` of ten cells. */
export function bar(value: number, cells = 10): string {
  const full = Math.round(Math.min(1, Math.max(0, value)) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}

/** One line a dimension: name, bar, value, cues. */
export function scoreLines(scores: Scores, cuesEach = 4): string[] {
  return DIMENSIONS.map((dimension) => {
    const value = scores[dimension];
    return `${dimension.padEnd(13)} ${bar(value)} ${value.toFixed(2)}  ${cueText(scores.evidence[dimension], cuesEach)}`;
  });
}

export function cueText(cues: readonly Cue[], limit: number): string {
  const shown = cues.slice(0, limit).map(({ cue, weight }) => (weight === 0 ? cue : `${cue} ${signed(weight)}`));
  return shown.join('; ') + (cues.length > limit ? '; …' : '');
}

function signed(weight: number): string {
  return `${weight > 0 ? '+' : '−'}${Math.abs(weight).toFixed(2)}`;
}

/** The value of a part, for tables. */
export function cell(value: number | undefined): string {
  return value === undefined ? '  – ' : value.toFixed(2);
}

export type { Dimension };
