/** The stems of a stored text in order, as the keyword index holds them: what ranking, comparing and confidence look at. */
import { indexTerms, SIGNED_NAME, signedName } from './index-terms.js';
import { ENGLISH, type Stemmer } from './stemmer.js';
import { words } from './words.js';

/** Several stages of a search look at the same texts, and the next question often finds them again: some 3 MB. */
const TEXTS_KEPT = 4096;
const kept = new WeakMap<Stemmer, Map<string, readonly string[]>>();

/** Stems of the words, then of the extra index terms (`indexTerms`); kept for the texts last asked about. */
export function textStems(text: string, stemmer: Stemmer = ENGLISH): readonly string[] {
  const known = kept.get(stemmer) ?? new Map<string, readonly string[]>();
  kept.set(stemmer, known);
  const found = known.get(text);
  if (found) return found;
  const stems = asciiStems(text, stemmer) ?? anyStems(text, stemmer);
  if (known.size >= TEXTS_KEPT) known.clear();
  known.set(text, stems);
  return stems;
}

function anyStems(text: string, { stem }: Stemmer): string[] {
  const extra = indexTerms(text);
  return words(extra === '' ? text : `${text} ${extra}`).map(stem);
}

/**
 * The same in one pass for text of ASCII letters and any usual punctuation, without searches by character class: a third
 * of the time, which is most of what ranking in process costs. Undefined for other text.
 */
function asciiStems(text: string, { stem }: Stemmer): string[] | undefined {
  const stems: string[] = [];
  let names = '';
  let signed = false;
  let [start, capitals, inner] = [-1, 0, false];
  for (let at = 0; at <= text.length; at++) {
    // NaN behind the end, which is of no class.
    const code = text.charCodeAt(at);
    const small = code >= 97 && code <= 122;
    const capital = code >= 65 && code <= 90;
    if (small || capital || (code >= 48 && code <= 57)) {
      if (start < 0) [start, capitals, inner] = [at, 0, false];
      // `aB` or `ABc`: perhaps a name with inner capitals.
      if (capital) {
        capitals++;
        if (at > start && isSmall(text.charCodeAt(at - 1))) inner = true;
      } else if (small && capitals >= 2 && isCapital(text.charCodeAt(at - 1))) inner = true;
      continue;
    }
    if (code > 127 && !isPunctuation(code)) return undefined;
    if (code === 43 || code === 35) signed = true;
    if (start < 0) continue;
    const word = text.slice(start, at);
    stems.push(stem(capitals > 0 ? word.toLowerCase() : word));
    if (inner) names += ` ${word}`;
    start = -1;
  }
  if (names !== '') stems.push(...words(indexTerms(names)).map(stem));
  if (signed)
    for (const [, letters = '', sign = ''] of text.matchAll(SIGNED_NAME)) stems.push(stem(signedName(letters, sign)));
  return stems;
}

const isSmall = (code: number): boolean => code >= 97 && code <= 122;
const isCapital = (code: number): boolean => code >= 65 && code <= 90;

/** No-break space, French quotes, dashes, curly quotes, ellipsis: nothing that is a letter, a mark or an emoji. */
function isPunctuation(code: number): boolean {
  return code === 0xa0 || code === 0xab || code === 0xb7 || code === 0xbb || (code >= 0x2010 && code <= 0x2027);
}
