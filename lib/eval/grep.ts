/** The baseline everybody has: looking for the words in the text, as `grep -i` does. */
import type { EvalDocument } from './collection.js';

/** Ranks documents by how many different words of the query they contain, then by how often. Words match anywhere. */
export function createGrep(documents: readonly EvalDocument[]): (query: string, top: number) => string[] {
  const folded = documents.map(({ id, text }) => ({ id, text: text.toLowerCase() }));
  return (query, top) => {
    const words = [
      ...new Set(
        query
          .toLowerCase()
          .split(/\s+/)
          .filter((word) => word !== ''),
      ),
    ];
    return folded
      .map(({ id, text }) => {
        const counts = words.map((word) => text.split(word).length - 1);
        return {
          id,
          different: counts.filter((count) => count > 0).length,
          total: counts.reduce((sum, count) => sum + count, 0),
        };
      })
      .filter(({ different }) => different > 0)
      .sort((a, b) => b.different - a.different || b.total - a.total)
      .slice(0, top)
      .map(({ id }) => id);
  };
}
