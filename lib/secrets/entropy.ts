/** Shannon entropy: how unlike a word a string is. */

/** One table for all calls, zeros between them: hostile text asks a hundred thousand times. */
const counts = new Uint32Array(128);
/** `c log2 c` for counts of one character; longer strings than this hold no token. */
const WEIGHTS = Float64Array.from({ length: 512 }, (_, c) => (c === 0 ? 0 : c * Math.log2(c)));
const weight = (count: number): number => WEIGHTS[count] ?? count * Math.log2(count);

/** Bits a character over the letter frequencies of the string, or of a stretch of it; 0 for the empty string. */
export function entropy(text: string, from = 0, to = text.length): number {
  let others: Map<number, number> | undefined;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) counts[code] = (counts[code] as number) + 1;
    else {
      others ??= new Map();
      others.set(code, (others.get(code) ?? 0) + 1);
    }
  }
  // H = log2 n - (sum of c log2 c) / n, over the counts c of n characters.
  let sum = 0;
  for (let code = 0; code < 128; code++) {
    const count = counts[code] as number;
    if (count === 0) continue;
    sum += weight(count);
    counts[code] = 0;
  }
  for (const count of others?.values() ?? []) sum += weight(count);
  return to <= from ? 0 : Math.log2(to - from) - sum / (to - from);
}
