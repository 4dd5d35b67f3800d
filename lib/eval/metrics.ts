/** Measures of a ranking against judgements, as the retrieval literature defines them. */

/** Document -> grade; only grades above 0 count as relevant. */
export type Judgements = ReadonlyMap<string, number>;

export interface RankingScores {
  readonly ndcg10: number;
  readonly mrr: number;
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly recall100: number;
}

/** Scores one ranking, best first, each document once. nDCG has linear gain, as trec_eval's `ndcg_cut`. */
export function scoreRanking(ranking: readonly string[], judged: Judgements): RankingScores {
  const relevant = [...judged.values()].filter((grade) => grade > 0);
  const isRelevant = (document: string): boolean => (judged.get(document) ?? 0) > 0;
  const first = ranking.findIndex(isRelevant);
  const hit = (k: number): number => (first >= 0 && first < k ? 1 : 0);
  return {
    ndcg10: gain(ranking.slice(0, 10).map((document) => judged.get(document) ?? 0)) / ideal(relevant),
    mrr: first < 0 ? 0 : 1 / (first + 1),
    hit1: hit(1),
    hit5: hit(5),
    hit10: hit(10),
    recall100: ranking.slice(0, 100).filter(isRelevant).length / Math.max(relevant.length, 1),
  };
}

function ideal(grades: readonly number[]): number {
  return gain([...grades].sort((a, b) => b - a).slice(0, 10)) || 1;
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, i) => sum + Math.max(grade, 0) / Math.log2(i + 2), 0);
}

/** The mean of each measure; all 0 for no rankings. */
export function meanScores(all: readonly RankingScores[]): RankingScores {
  const mean = (key: keyof RankingScores): number => all.reduce((sum, s) => sum + s[key], 0) / Math.max(all.length, 1);
  return {
    ndcg10: mean('ndcg10'),
    mrr: mean('mrr'),
    hit1: mean('hit1'),
    hit5: mean('hit5'),
    hit10: mean('hit10'),
    recall100: mean('recall100'),
  };
}

/** The value below which a share of the samples lies (nearest rank); 0 for no samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}
