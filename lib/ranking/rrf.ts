/** Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), with the tie rules of SPEC 22. */

export interface RankedList<T> {
  readonly weight: number;
  /** Best first; each entry once. */
  readonly ids: readonly T[];
}

export interface Fused<T> {
  readonly id: T;
  /** Sum of weight / (k + rank) over the lists that hold it; ranks count from 1. */
  readonly score: number;
  /** Rank in each list, null where absent. */
  readonly ranks: readonly (number | null)[];
}

/**
 * Fuses ranked lists, best first. Equal scores: what is in more lists first, then the lowest combined rank, then the
 * lowest rank in any list, then the order in which the entries were first met, so that the result is always the same.
 */
export function fuseRanks<T>(lists: readonly RankedList<T>[], k: number): Fused<T>[] {
  const met = new Map<T, (number | null)[]>();
  for (const [at, list] of lists.entries()) {
    for (const [i, id] of list.ids.entries()) {
      const ranks = met.get(id) ?? lists.map(() => null);
      ranks[at] ??= i + 1;
      met.set(id, ranks);
    }
  }
  const fused = [...met].map(([id, ranks]) => ({
    id,
    ranks,
    score: ranks.reduce<number>(
      (sum, rank, at) => sum + (rank === null ? 0 : (lists[at]?.weight ?? 0) / (k + rank)),
      0,
    ),
  }));
  return fused.sort((a, b) => compareScores(b.score, a.score) || compareRanks(a.ranks, b.ranks));
}

/** Sums of the same fractions in another order differ in the last bits; such scores are equal. */
function compareScores(a: number, b: number): number {
  return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)) ? 0 : a - b;
}

function compareRanks(a: readonly (number | null)[], b: readonly (number | null)[]): number {
  const [x, y] = [present(a), present(b)];
  return y.length - x.length || sum(x) - sum(y) || Math.min(...x) - Math.min(...y);
}

function present(ranks: readonly (number | null)[]): number[] {
  return ranks.filter((rank) => rank !== null);
}

function sum(ranks: readonly number[]): number {
  return ranks.reduce((total, rank) => total + rank, 0);
}
