/** Cuts a text that no block boundary divides: at line ends, then sentences, then words, never inside a character. */

/** A piece of text with the lines it stands on, relative to the text (1-based, inclusive). */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Where a sentence may end: Western marks before white space, CJK marks anywhere. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s|[。！？]/g;

/**
 * Cuts `text` into pieces of at most `max` UTF-16 units; their concatenation is the text. A piece ends at the last line
 * end of its window, else the last sentence end, else the last white space, as long as that uses half of the window.
 */
export function splitText(text: string, max: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const end = text.length - at <= max ? text.length : at + cutPoint(text.slice(at, at + max + 1), max);
    const piece = text.slice(at, end);
    const breaks = countBreaks(piece);
    pieces.push({ text: piece, from: line, to: line + breaks - (piece.endsWith('\n') ? 1 : 0) });
    line += breaks;
    at = end;
  }
  return pieces;
}

function cutPoint(window: string, max: number): number {
  const half = Math.floor(max / 2);
  const newline = window.lastIndexOf('\n', max - 1) + 1;
  if (newline > half) return newline;
  let sentence = 0;
  for (const { 0: mark, index } of window.matchAll(SENTENCE_END))
    if (index + mark.length <= max) sentence = index + mark.length;
  if (sentence > half) return sentence;
  const space = Math.max(window.lastIndexOf(' ', max - 1), window.lastIndexOf('\t', max - 1)) + 1;
  if (space > half) return space;
  return characterBoundary(window, max);
}

/** Steps back from `at` so that no surrogate pair and no character with its marks, joiners or selectors is torn apart. */
function characterBoundary(window: string, at: number): number {
  for (let cut = at; cut > Math.max(1, at - 32); cut--) {
    const after = window.codePointAt(cut) ?? 0;
    const before = window.charCodeAt(cut - 1);
    const tearsPair = before >= 0xd800 && before <= 0xdbff;
    if (!tearsPair && before !== 0x200d && !/[\p{M}\p{Emoji_Modifier}\u200d]/u.test(String.fromCodePoint(after)))
      return cut;
  }
  const before = window.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

function countBreaks(text: string): number {
  let n = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) n++;
  return n;
}
