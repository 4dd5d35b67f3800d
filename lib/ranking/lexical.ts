/** BM25 over a small pool of candidates, in process: what the index cannot do (faint stop words, proximity, feedback). */
import { ENGLISH, type Stemmer } from '../query/stemmer.js';
import type { TextQuery, TextTerm } from '../query/text-query.js';
import { textStems } from '../query/text-stems.js';
import { fold, isStopWord } from '../query/words.js';

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
  readonly fields: readonly Field[];
  readonly stemmer: Stemmer;
}

const K1 = 1.2;
const B = 0.75;
/** What a stop word counts beside a topic word: it tells `if not` apart in code and how-to questions (cosqa +0.005). */
const STOP_WORD_WEIGHT = 0.2;
/** What two neighbouring words of the query standing together count, beside what they count alone. */
const PAIR_WEIGHT = 0.07;

/** Taking apart 60 chunks of 100 words takes about a millisecond, stems cached. */
export function analyse(fields: readonly Field[], stemmer: Stemmer = ENGLISH): Analysed {
  const frequency = new Map<string, number>();
  const sequences = fields.map(({ text, weight }) => {
    const stems = textStems(text, stemmer);
    for (const s of stems) frequency.set(s, (frequency.get(s) ?? 0) + weight);
    return { stems, weight };
  });
  return {
    sequences,
    frequency,
    length: sequences.reduce((sum, s) => sum + s.stems.length, 0),
    fields,
    stemmer,
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
export function stemsOf({ words, wanted, stemmer }: TextQuery): string[] {
  return [...new Set([...words, ...wanted.flatMap((term) => term.words)].map(stemmer.stem))];
}

/** A query taken apart for scoring: single stems with weights, and units of adjacent stems or characters. */
interface Units {
  readonly single: ReadonlyMap<string, number>;
  readonly units: readonly TextTerm[];
}

/** BM25 of each candidate, in order. Not comparable between queries. */
export function lexicalScores(query: TextQuery, pool: readonly Analysed[], stats: TextStats): number[] {
  const { single, units } = unitsOf(query);
  const weigh = (s: string): number => idf(stats.chunks, stats.counts.get(s) ?? 0);
  return pool.map((candidate) => {
    const part = (frequency: number): number => saturate(frequency, candidate.length, stats.averageWords);
    let score = 0;
    for (const [s, weight] of single) {
      const frequency = candidate.frequency.get(s);
      if (frequency) score += weight * weigh(s) * part(frequency);
    }
    for (const unit of units) {
      const frequency = occurrences(candidate, unit);
      if (frequency) score += unit.weight * rarity(unit, stats, query.stemmer) * part(frequency);
    }
    return score;
  });
}

/**
 * A unit is at least as rare as its rarest part; the parts are nearly independent, so the sum of theirs is close. Pairs
 * of characters are not counted in the collection and pass for rare.
 */
function rarity({ kind, words }: TextTerm, { chunks, counts }: TextStats, { stem }: Stemmer): number {
  if (kind === 'cjk') return Math.log(chunks + 1);
  return words.reduce((sum, word) => sum + idf(chunks, counts.get(stem(word)) ?? 0), 0);
}

function unitsOf({ wanted, words: inOrder, stemmer: { stem } }: TextQuery): Units {
  const single = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    single.set(stem(word), (single.get(stem(word)) ?? 0) + weight);
  };
  const units: TextTerm[] = [];
  for (const term of wanted) {
    const [word] = term.words;
    if (word !== undefined && term.words.length === 1 && term.kind !== 'cjk' && !term.prefix) add(word, term.weight);
    else units.push(term);
  }
  for (const word of inOrder) if (isStopWord(word) && !single.has(stem(word))) add(word, STOP_WORD_WEIGHT);
  const topical = inOrder.filter((word) => !isStopWord(word));
  for (const [i, second] of topical.entries()) {
    const first = topical[i - 1];
    if (first === undefined || first === second) continue;
    units.push({ words: [first, second], prefix: false, source: '', kind: 'identifier', weight: PAIR_WEIGHT });
  }
  return { single, units };
}

/** How often a term stands in a candidate, by field weight. */
export function occurrences(candidate: Analysed, term: TextTerm): number {
  if (term.kind === 'cjk') return substrings(folded(candidate), fold(term.source));
  const stems = term.words.map(candidate.stemmer.stem);
  const [first = ''] = stems;
  if (term.prefix) return prefixed(candidate, stems);
  if (stems.length === 1) return candidate.frequency.get(first) ?? 0;
  if (!stems.every((s) => candidate.frequency.has(s))) return 0;
  let total = 0;
  for (const { stems: text, weight } of candidate.sequences) {
    for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
      if (stems.every((s, i) => text[at + i] === s)) total += weight;
    }
  }
  return total;
}

/** The whole text as scripts without spaces are compared. */
function folded({ fields }: Analysed): string {
  return fold(fields.map((field) => field.text).join('\n'));
}

function prefixed({ sequences }: Analysed, stems: readonly string[]): number {
  let total = 0;
  for (const { stems: text, weight } of sequences) {
    for (let at = 0; at + stems.length <= text.length; at++) {
      const fits = stems.every((s, i) => (i < stems.length - 1 ? text[at + i] === s : text[at + i]?.startsWith(s)));
      if (fits) total += weight;
    }
  }
  return total;
}

function substrings(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1 && part !== ''; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
