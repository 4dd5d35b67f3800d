/**
 * Finds texts that are nearly the same: word shingles, MinHash, and bands that are equal for nearly equal texts and for
 * no others, so that candidates come from an index instead of a comparison with everything.
 */
import { createHash } from 'node:crypto';
import { foldedText } from './identities.js';

/** Words in a shingle. Two share too much between unrelated texts of one trade, four lose a text edited every tenth word. */
const SHINGLE = 3;
/** Fewer shingles than this say nothing: a two-line teaser is the same in many feeds. */
const MIN_SHINGLES = 40;
/** 8 bands of 4 rows: a pair at similarity 0.8 meets in a band with 98.5 % chance, one at 0.3 with 6 %. */
const BANDS = 8;
const ROWS = 4;
/**
 * Jaccard similarity of shingles from which two texts are one story. Of 16,374 pairs of items from different real feeds
 * the most alike had 0.02; a copy with every 20th word changed has 0.78 in the median (docs/feeds.md).
 */
export const SAME_STORY = 0.55;

const MULTIPLIERS = Uint32Array.from(
  { length: BANDS * ROWS },
  (_, index) => (Math.imul(index + 1, 0x9e3779b1) | 1) >>> 0,
);
const OFFSETS = Uint32Array.from({ length: BANDS * ROWS }, (_, index) => Math.imul(index + 7, 0x85ebca6b) >>> 0);

/** Hashes of a text's shingles, markup aside; empty when the text is too short to compare. */
export function shinglesOf(html: string): ReadonlySet<number> {
  const words = foldedText(html).match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];
  const shingles = new Set<number>();
  for (let at = 0; at + SHINGLE <= words.length; at++) shingles.add(hashAt(words, at));
  return shingles.size < MIN_SHINGLES ? new Set() : shingles;
}

/** Band keys of a shingle set: texts that share one are worth a comparison. Empty for short texts. */
export function bandsOf(shingles: ReadonlySet<number>): string[] {
  if (shingles.size === 0) return [];
  const minima = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (const shingle of shingles) {
    for (let row = 0; row < minima.length; row++) {
      const value = (Math.imul(shingle, MULTIPLIERS[row] ?? 1) + (OFFSETS[row] ?? 0)) >>> 0;
      if (value < (minima[row] ?? 0)) minima[row] = value;
    }
  }
  return Array.from({ length: BANDS }, (_, band) => {
    const rows = minima.subarray(band * ROWS, (band + 1) * ROWS);
    return `near${band}:${createHash('sha256').update(rows).digest('hex').slice(0, 16)}`;
  });
}

/** Jaccard similarity, 0..1. */
export function similarity(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common++;
  return common / (a.size + b.size - common);
}

/** FNV-1a with a final mix: the shingles' last words would otherwise dominate the order that MinHash needs random. */
function hashAt(words: readonly string[], at: number): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < SHINGLE; n++) {
    const word = words[at + n] ?? '';
    if (n > 0) hash = Math.imul(hash ^ 0x20, 0x01000193);
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
