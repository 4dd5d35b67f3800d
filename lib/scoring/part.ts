/** What every dimension gives: a value in 0..1 and the cues behind it. */
import type { Cue, Dimension } from '../../runner/items.js';

export const DIMENSIONS: readonly Dimension[] = ['relevance', 'actionability', 'depth', 'authority'];

export interface Part {
  readonly value: number;
  readonly evidence: readonly Cue[];
}

/** Three decimals: enough to compare, and the same bytes on every machine. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** A part with its evidence in a fixed order (largest effect first, then by name) and rounded. NaN passes through. */
export function part(value: number, evidence: readonly Cue[], limit = 8): Part {
  const cues = evidence
    .map(({ cue, weight }) => ({ cue, weight: round(weight) }))
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || (a.cue < b.cue ? -1 : 1));
  return { value: round(clamp(value)), evidence: cues.slice(0, limit) };
}

/** Grows from 0 towards 1 with `amount`; `half` is where it reaches one half. */
export function saturate(amount: number, half: number): number {
  return amount <= 0 ? 0 : amount / (amount + half);
}
