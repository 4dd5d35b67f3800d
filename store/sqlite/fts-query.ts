/** Compiles a keyword query to FTS5's MATCH language. Only quoted strings and operators written here reach SQLite. */
import type { TextQuery, TextTerm } from '../../lib/query/text-query.js';

/**
 * A word said more often than this weighs no more. FTS5 has no term weights, but a repeated phrase counts again, at the
 * cost of reading its postings again. Counting repeats at all is worth +0.026 nDCG@10 on the mean of cacm, cisi, npl
 * and cosqa-dev; see docs/retrieval.md.
 */
const MAX_REPEATS = 4;

/**
 * The MATCH expression, or undefined when nothing is wanted. Wanted terms are alternatives, quoted phrases are
 * required, exclusions apply to the whole: `(("a b") AND ("a b" OR "c")) NOT ("d")`.
 */
export function compileMatch(query: TextQuery): string | undefined {
  if (query.wanted.length === 0) return undefined;
  const any = query.wanted
    .flatMap((term) => Array<string>(Math.min(term.weight, MAX_REPEATS)).fill(phrase(term)))
    .join(' OR ');
  const required = query.wanted.filter((term) => term.kind === 'phrase').map(phrase);
  const wanted = required.length > 0 ? `(${required.join(' AND ')}) AND (${any})` : any;
  if (query.excluded.length === 0) return wanted;
  return `(${wanted}) NOT (${query.excluded.map(phrase).join(' OR ')})`;
}

/** Words hold letters, digits and marks only (see `words()`), so nothing in them can end the string. */
function phrase(term: TextTerm): string {
  return `"${term.words.join(' ').replaceAll('"', '')}"${term.prefix ? '*' : ''}`;
}
