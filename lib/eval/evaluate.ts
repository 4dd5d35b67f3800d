/** Asks every question of every arm, scores the rankings and times them. */
import type { EvalQuery } from './collection.js';
import { meanScores, percentile, type RankingScores, scoreRanking } from './metrics.js';

/** One way of searching. */
export interface Arm {
  readonly name: string;
  /** Document ids, best first, each once. */
  rank(query: string): Promise<readonly string[]>;
}

export interface ArmResult extends RankingScores {
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** A question whose answer an arm did not bring among the first ten. */
export interface Miss {
  readonly arm: string;
  readonly query: string;
  readonly expected: readonly string[];
  /** Rank of the first relevant document, null when it was not found at all. */
  readonly rank: number | null;
  readonly instead: readonly string[];
}

export interface Evaluation {
  readonly set: string;
  readonly queries: number;
  readonly arms: Readonly<Record<string, ArmResult>>;
  readonly misses: readonly Miss[];
}

/** Runs arm after arm, so that none warms the caches of another. @param now milliseconds, monotonic. */
export async function evaluate(
  set: string,
  queries: readonly EvalQuery[],
  arms: readonly Arm[],
  now: () => number,
): Promise<Evaluation> {
  const results: Record<string, ArmResult> = {};
  const misses: Miss[] = [];
  for (const arm of arms) {
    const scores: RankingScores[] = [];
    const times: number[] = [];
    for (const { text, relevant } of queries) {
      const started = now();
      const ranking = await arm.rank(text);
      times.push(now() - started);
      const score = scoreRanking(ranking, relevant);
      scores.push(score);
      if (score.hit10 === 0) misses.push(missOf(arm.name, text, relevant, ranking));
    }
    results[arm.name] = { ...meanScores(scores), p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95) };
  }
  return { set, queries: queries.length, arms: results, misses };
}

function missOf(arm: string, query: string, relevant: EvalQuery['relevant'], ranking: readonly string[]): Miss {
  const expected = [...relevant].filter(([, grade]) => grade > 0).map(([id]) => id);
  const at = ranking.findIndex((id) => expected.includes(id));
  return { arm, query, expected, rank: at < 0 ? null : at + 1, instead: ranking.slice(0, 3) };
}
