/**
 * BERT's uncased WordPiece, written for speed: a word is looked up in a cache of token ids, and plain ASCII text never
 * leaves the fast loop. Gives the same ids as the reference tokenizers on the same vocabulary (test/lib/embedding).
 */
import type { Vocabulary } from './vocabulary.js';

const UNKNOWN = '[UNK]';
const CONTINUATION = '##';
/** A word longer than this is unknown, as in the reference implementation. */
const LONGEST_WORD = 100;
/** Distinct words remembered; prose repeats itself, random strings must not fill the memory. */
const CACHE_LIMIT = 100_000;

/** Character classes of the ASCII loop. */
const SPACE = 0;
const LETTER = 1;
const PUNCTUATION = 2;
const DROPPED = 3;

const ASCII = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[\t\n\r ]/.test(char)) ASCII[code] = SPACE;
  else if (code < 32 || code === 127) ASCII[code] = DROPPED;
  else ASCII[code] = /[A-Za-z0-9]/.test(char) ? LETTER : PUNCTUATION;
}

const CJK =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const MARKS = /\p{Mn}/gu;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const SPACES = /\p{Zs}/gu;
const WORD =
  /[^\s\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]+|[\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/gu;
const NOT_ASCII = /[^\x00-\x7f]/;

export interface WordPiece {
  readonly size: number;
  /** Token ids of a text, without [CLS] and [SEP], at most `limit`. The array is reused by the next call: copy it to keep it. */
  encode(text: string, limit?: number): Int32Array;
  id(token: string): number | undefined;
}

/**
 * @param vocabulary must hold `[UNK]`.
 * @throws {Error} when the unknown token is missing.
 */
export function createWordPiece(vocabulary: Vocabulary): WordPiece {
  const unknown = vocabulary.id(UNKNOWN);
  if (unknown === undefined) throw new Error(`The vocabulary has no ${UNKNOWN} token.`);
  const cache = new Map<string, readonly number[]>();
  let buffer = new Int32Array(1024);
  let length = 0;

  const pieces = (word: string): readonly number[] => {
    const whole = vocabulary.id(word);
    if (whole !== undefined) return [whole];
    if (word.length > LONGEST_WORD) return [unknown];
    const found: number[] = [];
    for (let at = 0; at < word.length; ) {
      let end = word.length;
      let id: number | undefined;
      for (; end > at; end--) {
        id = vocabulary.id(at === 0 ? word.slice(0, end) : CONTINUATION + word.slice(at, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return [unknown];
      found.push(id);
      at = end;
    }
    return found;
  };

  const push = (word: string): void => {
    let found = cache.get(word);
    if (!found) {
      found = pieces(word);
      if (cache.size >= CACHE_LIMIT) cache.clear();
      cache.set(word, found);
    }
    if (length + found.length > buffer.length) {
      const larger = new Int32Array(Math.max(buffer.length * 2, length + found.length));
      larger.set(buffer);
      buffer = larger;
    }
    for (let i = 0; i < found.length; i++) buffer[length++] = found[i] as number;
  };

  const encodeAscii = (text: string, limit: number): void => {
    const lower = text.toLowerCase();
    let start = -1;
    for (let i = 0; i < lower.length && length < limit; i++) {
      const kind = ASCII[lower.charCodeAt(i)] as number;
      if (kind === LETTER) {
        if (start < 0) start = i;
        continue;
      }
      if (start >= 0) push(lower.slice(start, i));
      start = -1;
      if (kind === PUNCTUATION) push(lower.charAt(i));
    }
    if (start >= 0 && length < limit) push(lower.slice(start));
  };

  const encodeUnicode = (text: string, limit: number): void => {
    for (const [word] of normalise(text).matchAll(WORD)) {
      if (length >= limit) return;
      push(word);
    }
  };

  return {
    size: vocabulary.size,
    id: (token) => vocabulary.id(token),
    encode(text, limit = Number.POSITIVE_INFINITY) {
      length = 0;
      if (NOT_ASCII.test(text) || /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) encodeUnicode(text, limit);
      else encodeAscii(text, limit);
      return buffer.subarray(0, Math.min(length, limit));
    },
  };
}

/** Cleaning, CJK spacing, lower case and accent stripping, in the reference order. */
function normalise(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .replace(CONTROL, '')
    .replace(SPACES, ' ')
    .replace(CJK, ' $& ')
    .toLowerCase()
    .normalize('NFD')
    .replace(MARKS, '');
}
