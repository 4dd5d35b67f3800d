/** The student's vocabulary: the teacher's WordPieces and, as tokens of their own, frequent words those would split. */
import type { WordPiece } from '../../lib/embedding/wordpiece.js';

const WORD = /[a-z][a-z0-9]+/g;

/**
 * Whole words worth a row of their own: at least `minimum` occurrences, split by the base vocabulary, most frequent
 * first (ties alphabetical, so that the result is stable).
 */
export function frequentSplitWords(texts: Iterable<string>, base: WordPiece, minimum: number, limit: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (word.length <= 24) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([word, count]) => count >= minimum && base.id(word) === undefined)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([word]) => word);
}

/** How often each token occurs, for the starting weights. */
export function tokenCounts(texts: readonly Int32Array[], size: number): Float64Array {
  const counts = new Float64Array(size);
  for (const ids of texts) for (const id of ids) counts[id] = (counts[id] as number) + 1;
  return counts;
}
