/**
 * Orders the candidates of both legs by one score: keywords and meaning, each normalised by its best candidate, with
 * feedback from what leads. RRF gathers candidates well, but it forgets by how much one was better than the next.
 */
import type { TextQuery } from '../query/text-query.js';
import { type FeedbackSettings, feedbackScores, feedbackTerms } from './feedback.js';
import { type Analysed, lexicalScores, stemsOf, type TextStats } from './lexical.js';

export interface RescoreSettings {
  /** Shares of the two parts; only their ratio matters. */
  readonly text: number;
  readonly meaning: number;
  readonly feedback: FeedbackSettings;
}

export interface Candidate {
  readonly analysed: Analysed;
  /** Cosine to the query; undefined where there is no vector. */
  readonly cosine: number | undefined;
}

/** A candidate's score, 0..1, and what it is made of. */
export interface Rescored {
  readonly score: number;
  /** BM25 of the query's own words. */
  readonly lexical: number;
  /** What the words shared by the leading candidates add to it. */
  readonly feedback: number;
  readonly cosine: number | undefined;
}

/**
 * Scores candidates in order.
 * @param statsOf looks up how common stems are in the whole collection.
 */
export async function rescore(
  query: TextQuery,
  candidates: readonly Candidate[],
  statsOf: (stems: readonly string[]) => Promise<TextStats>,
  settings: RescoreSettings,
): Promise<Rescored[]> {
  const pool = candidates.map((candidate) => candidate.analysed);
  const stats = await statsOf(stemsOf(query));
  const lexical = lexicalScores(query, pool, stats);
  const cosines = candidates.map((candidate) => candidate.cosine);
  const first = combine(lexical, cosines, settings);
  const feedback = await feedbackOf(pool, first, stats.averageWords, statsOf, settings.feedback);
  const combined = combine(
    lexical.map((score, i) => score + (feedback[i] ?? 0)),
    cosines,
    settings,
  );
  return combined.map((score, i) => ({
    score,
    lexical: lexical[i] ?? 0,
    feedback: feedback[i] ?? 0,
    cosine: cosines[i],
  }));
}

async function feedbackOf(
  pool: readonly Analysed[],
  scores: readonly number[],
  averageWords: number,
  statsOf: (stems: readonly string[]) => Promise<TextStats>,
  settings: FeedbackSettings,
): Promise<readonly number[]> {
  if (settings.weight === 0 || settings.documents === 0) return [];
  const terms = feedbackTerms(pool, scores, averageWords, settings);
  return feedbackScores(pool, terms, await statsOf([...terms.keys()]), settings);
}

/** The weighted mean of both parts, each divided by its best; a part that nobody has does not count. */
function combine(
  lexical: readonly number[],
  cosines: readonly (number | undefined)[],
  { text, meaning }: RescoreSettings,
): number[] {
  const bestText = Math.max(0, ...lexical);
  const bestCosine = cosines.reduce<number>((best, cosine) => Math.max(best, cosine ?? 0), 0);
  const [textShare, meaningShare] = [bestText > 0 ? text : 0, bestCosine > 0 ? meaning : 0];
  const total = textShare + meaningShare || 1;
  return lexical.map((score, i) => {
    const byText = bestText > 0 ? score / bestText : 0;
    const byMeaning = bestCosine > 0 ? Math.max(0, cosines[i] ?? 0) / bestCosine : 0;
    return (textShare * byText + meaningShare * byMeaning) / total;
  });
}
