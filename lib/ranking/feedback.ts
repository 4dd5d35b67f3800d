/**
 * Pseudo-relevance feedback: what the best candidates say in common is what the question was about. Only the pool is
 * scored again; no second search runs.
 */
import { isStopWord } from '../query/words.js';
import { type Analysed, idf, saturate, type TextStats } from './lexical.js';

export interface FeedbackSettings {
  /** How many of the best candidates are believed. */
  readonly documents: number;
  /** How many of their words are added to the query. */
  readonly terms: number;
  /** Weight of the strongest added word; a word of the query has 1. */
  readonly weight: number;
}

/** A stem that at least two of the believed candidates share, with its share of their score. */
export type FeedbackTerms = ReadonlyMap<string, number>;

/** Words looked up in the index for each word kept: the choice needs to know how rare they are. */
const LOOKUPS_PER_TERM = 2;

/**
 * Stems of the best candidates by score-weighted frequency, most said first.
 * @param scores of the pool, in its order; anything above 0 that grows with relevance.
 */
export function feedbackTerms(
  pool: readonly Analysed[],
  scores: readonly number[],
  averageWords: number,
  { documents, terms }: FeedbackSettings,
): FeedbackTerms {
  const best = pool
    .map((candidate, i) => ({ candidate, score: scores[i] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, documents);
  const top = best[0]?.score ?? 1;
  const totals = new Map<string, { sum: number; documents: number }>();
  for (const { candidate, score } of best) {
    for (const [s, frequency] of candidate.frequency) {
      if (s.length < 2 || isStopWord(s)) continue;
      const total = totals.get(s) ?? { sum: 0, documents: 0 };
      total.sum += (score / top) * saturate(frequency, candidate.length, averageWords);
      total.documents++;
      totals.set(s, total);
    }
  }
  const shared = [...totals].filter(([, total]) => total.documents >= Math.min(2, best.length));
  const chosen = shared.sort(([, a], [, b]) => b.sum - a.sum).slice(0, terms * LOOKUPS_PER_TERM);
  return new Map(chosen.map(([s, total]) => [s, total.sum]));
}

/** What the added words are worth to each candidate, on the scale of `lexicalScores`. */
export function feedbackScores(
  pool: readonly Analysed[],
  terms: FeedbackTerms,
  stats: TextStats,
  settings: FeedbackSettings,
): number[] {
  const weighed = [...terms]
    .map(([s, sum]) => ({ s, sum, idf: idf(stats.chunks, stats.counts.get(s) ?? 0) }))
    .sort((a, b) => b.sum * b.idf - a.sum * a.idf)
    .slice(0, settings.terms);
  const strongest = Math.max(...weighed.map(({ sum }) => sum), Number.MIN_VALUE);
  return pool.map((candidate) => {
    let score = 0;
    for (const { s, sum, idf } of weighed) {
      const frequency = candidate.frequency.get(s);
      if (frequency)
        score += settings.weight * (sum / strongest) * idf * saturate(frequency, candidate.length, stats.averageWords);
    }
    return score;
  });
}
