/** BM25 over a small pool of candidates, in process: what the index cannot do (faint stop words, proximity, feedback). */
import { indexTerms } from '../query/index-terms.js';
import type { TextQuery, TextTerm } from '../query/text-query.js';
import { fold, isStopWord, stem, words } from '../query/words.js';

/** How common words are in the whole collection. */
export interface TextStats {
  readonly chunks: number;
  /** Mean words a chunk. */
  readonly averageWords: number;
  /** Chunks that hold a stem; absent or 0: none known. */
  readonly counts: ReadonlyMap<string, number>;
}

/** A text field of a candidate and what an occurrence in it counts. */
export interface Field {
  readonly text: string;
  readonly weight: number;
}

/** A candidate, taken apart once. */
export interface Analysed {
  /** Stems of each field in order. */
  readonly sequences: readonly { readonly stems: readonly string[]; readonly weight: number }[];
  /** Weighted frequency of every stem. */
  readonly frequency: ReadonlyMap<string, number>;
  /** Words in all fields. */
  readonly length: number;
  /** Folded text, for scripts without spaces. */
  readonly folded: string;
}

const K1 = 1.2;
const B = 0.75;
/** What a stop word counts beside a topic word: it tells `if not` apart in code and how-to questions (cosqa +0.005). */
const STOP_WORD_WEIGHT = 0.2;
/** What two neighbouring words of the query standing together count, beside what they count alone. */
const PAIR_WEIGHT = 0.07;

/** Taking apart 60 chunks of 100 words takes about a millisecond, stems cached. */
export function analyse(fields: readonly Field[]): Analysed {
  const frequency = new Map<string, number>();
  const sequences = fields.map(({ text, weight }) => {
    const extra = indexTerms(text);
    const stems = words(extra === '' ? text : `${text} ${extra}`).map(stem);
    for (const s of stems) frequency.set(s, (frequency.get(s) ?? 0) + weight);
    return { stems, weight };
  });
  return {
    sequences,
    frequency,
    length: sequences.reduce((sum, s) => sum + s.stems.length, 0),
    folded: fold(fields.map((f) => f.text).join('\n')),
  };
}

/** Saturated, length-normalised frequency: BM25 without the inverse document frequency. */
export function saturate(frequency: number, length: number, averageWords: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / Math.max(averageWords, 1)));
}

/** Inverse document frequency as in FTS5: never below a tiny positive value. */
export function idf(chunks: number, count: number): number {
  return Math.max(Math.log((chunks - count + 0.5) / (count + 0.5)), 1e-6);
}

/** Stems whose counts `lexicalScores` needs. */
export function stemsOf(query: TextQuery): string[] {
  return [...new Set([...query.words, ...query.wanted.flatMap((term) => term.words)].map(stem))];
}

/** A query taken apart for scoring: single stems with weights, and units of adjacent stems. */
interface Units {
  readonly single: ReadonlyMap<string, number>;
  readonly adjacent: readonly { readonly stems: readonly string[]; readonly weight: number }[];
  readonly substrings: readonly TextTerm[];
}

/** BM25 of each candidate, in order. Not comparable between queries. */
export function lexicalScores(query: TextQuery, pool: readonly Analysed[], stats: TextStats): number[] {
  const units = unitsOf(query);
  const weigh = (s: string): number => idf(stats.chunks, stats.counts.get(s) ?? 0);
  return pool.map((candidate) => {
    const part = (frequency: number): number => saturate(frequency, candidate.length, stats.averageWords);
    let score = 0;
    for (const [s, weight] of units.single) {
      const frequency = candidate.frequency.get(s);
      if (frequency) score += weight * weigh(s) * part(frequency);
    }
    for (const { stems, weight } of units.adjacent) {
      const frequency = adjacency(candidate, stems);
      // A unit is at least as rare as its rarest part; a pair's parts are nearly independent, so their sum is close.
      if (frequency) score += weight * stems.reduce((sum, s) => sum + weigh(s), 0) * part(frequency);
    }
    for (const term of units.substrings) {
      const frequency = occurrences(candidate.folded, fold(term.source));
      if (frequency) score += term.weight * Math.log(stats.chunks + 1) * part(frequency);
    }
    return score;
  });
}

function unitsOf({ wanted, words: inOrder }: TextQuery): Units {
  const single = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    single.set(stem(word), (single.get(stem(word)) ?? 0) + weight);
  };
  const adjacent: { stems: string[]; weight: number }[] = [];
  for (const term of wanted) {
    const [word] = term.words;
    if (term.kind === 'word' && word !== undefined) add(word, term.weight);
    else if (term.kind !== 'cjk' && term.words.length > 1)
      adjacent.push({ stems: term.words.map(stem), weight: term.weight });
  }
  for (const word of inOrder) if (isStopWord(word) && !single.has(stem(word))) add(word, STOP_WORD_WEIGHT);
  const topical = inOrder.filter((word) => !isStopWord(word)).map(stem);
  for (const [i, second] of topical.entries()) {
    const first = topical[i - 1];
    if (first !== undefined && first !== second) adjacent.push({ stems: [first, second], weight: PAIR_WEIGHT });
  }
  return { single, adjacent, substrings: wanted.filter((term) => term.kind === 'cjk') };
}

/** How often the stems stand side by side in order, by field weight. */
function adjacency({ sequences, frequency }: Analysed, stems: readonly string[]): number {
  if (!stems.every((s) => frequency.has(s))) return 0;
  const [first = ''] = stems;
  let total = 0;
  for (const { stems: text, weight } of sequences) {
    for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
      if (stems.every((s, i) => text[at + i] === s)) total += weight;
    }
  }
  return total;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1 && part !== ''; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
