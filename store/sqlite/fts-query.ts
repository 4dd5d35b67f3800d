/** Compiles a keyword query to FTS5's MATCH language. Only quoted strings and operators written here reach SQLite. */
import type { TextQuery, TextTerm } from '../../lib/query/text-query.js';

/**
 * A word said more often than this weighs no more. FTS5 has no term weights, but a repeated phrase counts again, at the
 * cost of reading its postings again. Counting repeats at all is worth +0.026 nDCG@10 on the mean of cacm, cisi, npl
 * and cosqa-dev; see docs/retrieval.md.
 */
const MAX_REPEATS = 4;

export interface Match {
  readonly expression: string;
  /** How often each word counts beyond its weight: what BM25 must be divided by. */
  readonly scale: number;
}

/**
 * The MATCH expression, or undefined when nothing is wanted. Wanted terms are alternatives, quoted phrases are
 * required, exclusions apply to the whole: `(("a b") AND ("a b" OR "c")) NOT ("d")`.
 */
export function compileMatch(query: TextQuery): Match | undefined {
  if (query.wanted.length === 0) return undefined;
  const any = query.wanted.flatMap((term) => repeated(term, 1)).join(' OR ');
  const required = query.wanted.filter((term) => term.kind === 'phrase').map(phrase);
  const wanted = required.length > 0 ? `(${required.join(' AND ')}) AND (${any})` : any;
  return { expression: without(query.excluded, wanted), scale: 1 };
}

/**
 * The same for chunks that hold at least one of the leading terms: `("rare") AND ("rare" OR "common" OR "common")`.
 * FTS5 counts the leading terms once on either side, so every other term is written twice.
 */
export function compileLed(
  leading: readonly TextTerm[],
  following: readonly TextTerm[],
  excluded: readonly TextTerm[],
): Match {
  const driver = leading.map(phrase).join(' OR ');
  const others = following.flatMap((term) => repeated(term, 2));
  const any = [...leading.flatMap((term) => repeated(term, 2).slice(1)), ...others].join(' OR ');
  return { expression: without(excluded, `(${driver}) AND (${any})`), scale: 2 };
}

function repeated(term: TextTerm, scale: number): string[] {
  return Array<string>(Math.min(term.weight, MAX_REPEATS) * scale).fill(phrase(term));
}

function without(excluded: readonly TextTerm[], wanted: string): string {
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.map(phrase).join(' OR ')})`;
}

/** Words hold letters, digits and marks only (see `words()`), so nothing in them can end the string. */
function phrase(term: TextTerm): string {
  return `"${term.words.join(' ').replaceAll('"', '')}"${term.prefix ? '*' : ''}`;
}
