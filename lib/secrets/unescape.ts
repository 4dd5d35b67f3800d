/**
 * Sees through backslashes: Markdown written by a converter says `ghp\\_abc` for `ghp_abc`, JSON inside JSON `\\"`. A
 * pattern that knows tokens as their issuer prints them would find neither.
 */
import type { Candidate } from './matchers.js';

const ESCAPE = /\\([!-/:-@[-`{-~])/g;

/** Candidates in the text without its backslash escapes, at their place in the text as given. */
export function scanUnescaped(text: string, scan: (text: string) => readonly Candidate[]): readonly Candidate[] {
  if (!text.includes('\\')) return [];
  /** Where, in the shortened text, each backslash was taken out. */
  const removed: number[] = [];
  const plain = text.replace(ESCAPE, (_, character: string, at: number) => {
    removed.push(at - removed.length);
    return character;
  });
  if (removed.length === 0) return [];
  return scan(plain).map((candidate) => ({
    ...candidate,
    // A backslash before the first character belongs to it; one after the last does not.
    start: candidate.start + countBelow(removed, candidate.start),
    end: candidate.end + countBelow(removed, candidate.end),
  }));
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
