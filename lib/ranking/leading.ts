/**
 * Which terms of a keyword query a chunk must hold to be worth scoring. "how to sort a list in python" matches a quarter
 * of a vault by "list" and "python" alone, and scoring every such chunk is where a keyword search spends its time; yet
 * what leads the ranking nearly always holds a rare word. The idea is MaxScore's, with the index asked at most twice.
 */
import type { TextQuery, TextTerm } from '../query/text-query.js';
import { idf, type TextStats } from './lexical.js';

/** Chunks that the first question should score at least: enough that the best of them tell what a good score is. */
const SCORED_AT_FIRST = 500;
/** BM25's factor of a word's rarity lies below 2.2; above 1.3 only where a short chunk repeats the word. */
const USUAL_FACTOR = 1.3;

/** Terms by what they are worth in BM25, most first. */
export class TermsByWorth {
  private readonly ranked: readonly { readonly term: TextTerm; readonly chunks: number; readonly worth: number }[];

  constructor({ wanted, stemmer }: TextQuery, { chunks, counts }: TextStats) {
    this.ranked = wanted
      .map((term) => {
        // What is not a plain word is not counted in the index and passes for rare.
        const count = isPlain(term) ? (counts.get(stemmer.stem(term.words[0] ?? '')) ?? 0) : 0;
        return { term, chunks: count, worth: term.weight * idf(chunks, count) };
      })
      .sort((a, b) => b.worth - a.worth);
  }

  get count(): number {
    return this.ranked.length;
  }

  /** How many terms lead at first: the rarest that a few hundred chunks hold. */
  atFirst(): number {
    let [leading, chunks] = [0, 0];
    while (leading < this.count && chunks < SCORED_AT_FIRST) chunks += this.ranked[leading++]?.chunks ?? 0;
    return leading;
  }

  /** How many must lead so that a chunk without any of them hardly reaches a score. */
  toReach(score: number): number {
    let [leading, following] = [this.count, 0];
    while (leading > 0) {
      following += this.ranked[leading - 1]?.worth ?? 0;
      if (USUAL_FACTOR * following > score) break;
      leading--;
    }
    return leading;
  }

  /** The leading terms and those that follow. */
  split(leading: number): { readonly leading: readonly TextTerm[]; readonly following: readonly TextTerm[] } {
    const terms = this.ranked.map(({ term }) => term);
    return { leading: terms.slice(0, leading), following: terms.slice(leading) };
  }
}

/** Stems of the plain words, whose counts `TermsByWorth` needs. */
export function plainStems({ wanted, stemmer }: TextQuery): string[] {
  return wanted.filter(isPlain).map(({ words }) => stemmer.stem(words[0] ?? ''));
}

function isPlain({ kind, prefix, words }: TextTerm): boolean {
  return kind === 'word' && !prefix && words.length === 1;
}
