/** The stems of a stored text in order, as the keyword index holds them: what ranking, comparing and confidence look at. */
import { indexTerms } from './index-terms.js';
import { stem, words } from './words.js';

const ASCII_ONLY = /^[\x00-\x7f]*$/;
/** Several stages of a search look at the same texts, and the next question often finds them again: some 3 MB. */
const TEXTS_KEPT = 4096;
const known = new Map<string, readonly string[]>();

/** Stems of the words, then of the extra index terms (`indexTerms`); kept for the texts last asked about. */
export function textStems(text: string): readonly string[] {
  const found = known.get(text);
  if (found) return found;
  const stems = ASCII_ONLY.test(text) ? asciiStems(text) : anyStems(text);
  if (known.size >= TEXTS_KEPT) known.clear();
  known.set(text, stems);
  return stems;
}

function anyStems(text: string): string[] {
  const extra = indexTerms(text);
  return words(extra === '' ? text : `${text} ${extra}`).map(stem);
}

/** The same for plain English prose in one pass without searches by character class: a third of the time. */
function asciiStems(text: string): string[] {
  const stems: string[] = [];
  let names = '';
  let signed = false;
  let [start, upper, inner] = [-1, 0, false];
  for (let at = 0; at <= text.length; at++) {
    // Behind the end NaN, which is of no class.
    const code = text.charCodeAt(at);
    const lower = code >= 97 && code <= 122;
    const capital = code >= 65 && code <= 90;
    if (lower || capital || (code >= 48 && code <= 57)) {
      if (start < 0) [start, upper, inner] = [at, 0, false];
      // `aB` or `ABc`: perhaps a name with inner capitals.
      if (capital) {
        upper++;
        if (at > start && isLower(text.charCodeAt(at - 1))) inner = true;
      } else if (lower && upper >= 2 && isUpper(text.charCodeAt(at - 1))) inner = true;
      continue;
    }
    if (code === 43 || code === 35) signed = true;
    if (start < 0) continue;
    const word = text.slice(start, at);
    stems.push(stem(upper > 0 ? word.toLowerCase() : word));
    if (inner) names += ` ${word}`;
    start = -1;
  }
  if (signed) return anyStems(text);
  if (names !== '') stems.push(...words(indexTerms(names)).map(stem));
  return stems;
}

const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isUpper = (code: number): boolean => code >= 65 && code <= 90;
