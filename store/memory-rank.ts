/** Keyword and vector ranking of the memory store, in the plainest form that agrees with the SQLite store. */
import { ENGLISH, type Stemmer } from '../lib/query/stemmer.js';
import type { TextTerm } from '../lib/query/text-query.js';
import { words } from '../lib/query/words.js';

/** A text's fields as lists of words, each field with its weight. */
export interface RankedText {
  readonly fields: readonly (readonly [words: readonly string[], weight: number])[];
}

/** The words of a text, stemmed as FTS5's porter tokenizer stems them. */
export function tokens(text: string): string[] {
  return words(text.normalize('NFC')).map(ENGLISH.stem);
}

/** How often a term stands in a text. */
export function occurrences(text: readonly string[], { words, prefix }: TextTerm, { stem }: Stemmer = ENGLISH): number {
  let n = 0;
  for (let at = 0; at + words.length <= text.length; at++) {
    const fits = words.every((word, i) => {
      const token = text[at + i] ?? '';
      return prefix && i === words.length - 1 ? token.startsWith(stem(word)) : token === stem(word);
    });
    if (fits) n++;
  }
  return n;
}

/** Okapi BM25 with SQLite's constants (k1 1.2, b 0.75), fields weighted as FTS5 weights columns. */
export function bm25(entry: RankedText, all: readonly RankedText[], wanted: readonly TextTerm[]): number {
  const length = (e: RankedText): number => e.fields.reduce((n, [text]) => n + text.length, 0);
  const average = all.reduce((n, e) => n + length(e), 0) / all.length;
  const frequency = (e: RankedText, term: TextTerm): number =>
    e.fields.reduce((n, [text, weight]) => n + weight * occurrences(text, term), 0);
  let score = 0;
  for (const term of wanted) {
    const containing = all.filter((e) => e.fields.some(([text]) => occurrences(text, term) > 0)).length;
    const idf = Math.max(1e-6, Math.log((all.length - containing + 0.5) / (containing + 0.5)));
    const f = frequency(entry, term);
    score += (idf * f * 2.2) / (f + 1.2 * (0.25 + (0.75 * length(entry)) / average));
  }
  return score;
}

export function cosineOf(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
