/** The outer half of a vector search with `stale`, for stores that rank in process; PostgreSQL does the same in SQL. */
import { isStale } from '../lib/ranking/stale.js';
import type { Hit } from '../runner/items.js';
import type { VectorMatchOptions } from './types.js';

/** How many nearest chunks to find before `freshFirst`. */
export function candidatesOf({ top, stale }: VectorMatchOptions): number {
  return Math.max(top, stale?.candidates ?? 0);
}

/** Takes the penalty off the scores of old notes, and keeps the best. Hits come in by cosine, best first. */
export function freshFirst(hits: readonly Hit[], { top, stale }: VectorMatchOptions): readonly Hit[] {
  const scored = stale
    ? hits
        .map((hit) => (isStale(hit.meta, stale.before) ? { ...hit, score: hit.score - stale.penalty } : hit))
        .sort((a, b) => b.score - a.score)
    : hits;
  return scored.slice(0, top).map((hit, i) => (hit.vecRank === i + 1 ? hit : { ...hit, vecRank: i + 1 }));
}
