/** Cuts the piece out of a text that shows why it matched. */
import type { TextQuery } from '../query/text-query.js';
import { fold, isStopWord } from '../query/words.js';

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

interface Place {
  readonly from: number;
  readonly to: number;
  /** Which wanted word stands here. */
  readonly key: string;
}

/**
 * At most `length` characters around the densest group of matched words, on one line, cut between words, with `…` where
 * text was left out. Without a match: the beginning.
 */
export function excerpt(text: string, query: TextQuery, length: number): string {
  const places = matches(text, query);
  const [from, to] = bestWindow(places, length);
  const spare = Math.max(0, length - (to - from));
  // A third of the spare room before the match, the rest after it: what follows explains more than what precedes.
  let start = Math.max(0, from - Math.floor(spare / 3));
  const end = Math.min(text.length, start + length);
  start = Math.max(0, Math.min(start, end - length));
  const left = wholeCharacter(text, toWordStart(text, start, from));
  const right = wholeCharacter(text, toWordEnd(text, end, to));
  const piece = text.slice(left, right).replace(/\s+/g, ' ').trim();
  return `${left > 0 ? '…' : ''}${piece}${right < text.length ? '…' : ''}`;
}

function matches(text: string, { wanted, stemmer: { stem } }: TextQuery): Place[] {
  const stems = new Set(
    wanted.filter((t) => t.kind !== 'cjk').flatMap((t) => t.words.filter((w) => !isStopWord(w)).map(stem)),
  );
  const runs = wanted.filter((t) => t.kind === 'cjk').map((t) => t.source);
  const places: Place[] = [];
  for (const match of text.matchAll(WORD)) {
    const key = stem(fold(match[0]));
    if (stems.has(key)) places.push({ from: match.index, to: match.index + match[0].length, key });
  }
  for (const run of runs) {
    for (let at = text.indexOf(run); at !== -1; at = text.indexOf(run, at + run.length))
      places.push({ from: at, to: at + run.length, key: run });
  }
  return places.sort((a, b) => a.from - b.from);
}

/** The stretch of at most `length` characters with the most different wanted words, then the most words. */
function bestWindow(places: readonly Place[], length: number): [from: number, to: number] {
  let best: [number, number] = [0, 0];
  let bestValue = 0;
  for (const [i, first] of places.entries()) {
    const inside = places.slice(i).filter((place) => place.to - first.from <= length);
    const value = new Set(inside.map((place) => place.key)).size * 1000 + inside.length;
    if (value <= bestValue) continue;
    bestValue = value;
    best = [first.from, inside.at(-1)?.to ?? first.to];
  }
  return best;
}

/** Moves a cut off the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at;
}

function toWordStart(text: string, at: number, limit: number): number {
  if (at === 0 || /\s/.test(text[at - 1] ?? '')) return at;
  const next = text.slice(at, limit).search(/\s\S/);
  return next === -1 ? at : at + next + 1;
}

function toWordEnd(text: string, at: number, limit: number): number {
  if (at >= text.length || /\s/.test(text[at] ?? '')) return at;
  const last = text.slice(limit, at).search(/\s\S*$/);
  return last === -1 ? at : limit + last;
}
