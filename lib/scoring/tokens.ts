/** Words as scoring compares them: lower case, without accents, plural -s folded, technical spellings kept whole. */

/** Words, with inner dots (`node.js`, `1.3`), a leading dot (`.net`) and the endings of `c++` and `c#`. */
const WORD = /(?:(?<![^\s([{,/])\.(?=\p{L}))?[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*(?:\+\+|#)?/gu;

/** Lower case, NFKD without combining marks; `ł` and `ø` have no decomposition and are mapped by hand. */
export function fold(text: string): string {
  return text.replace(/[^\x00-\x7f]+/g, foldForeign).toLowerCase();
}

/** Only what is not ASCII has accents: of an English text that is a dozen quotation marks. */
function foldForeign(run: string): string {
  return run
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .replace(/œ/g, 'oe')
    .replace(/æ/g, 'ae')
    .replace(/ß/g, 'ss');
}

/** Folded, stemmed words in order. */
export function tokenize(text: string): string[] {
  return (fold(text).match(WORD) ?? []).map(stem);
}

/**
 * Folds plurals. It only has to treat a phrase and the text alike, so what it makes of other words ending in -s
 * (`kubernetes`) does not matter.
 */
export function stem(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is|\.js)$/.test(word)) return word;
  return /(?:sses|shes|ches|xes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Host and path words of a URL; camelCase names are given whole and in parts (`MyAndroidApp`). */
export function urlTokens(url: string): string[] {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return [];
  }
  const path = safeDecode(parsed.pathname);
  const parts = path.split(/[^\p{L}\p{N}.+#]+/u).filter((part) => part.length > 0);
  return parts.flatMap((part) => {
    const bare = part.replace(/\.(?:html?|php|aspx?|git)$/i, '');
    const camel = bare.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return camel.length > 1 ? [...tokenize(bare), ...camel.flatMap(tokenize)] : tokenize(bare);
  });
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Host without `www.`, and the path: what host lists are compared with. Undefined for what is no URL. */
export function hostAndPath(url: string | undefined): { host: string; path: string } | undefined {
  if (!url) return undefined;
  try {
    const { hostname, pathname } = new URL(url);
    return { host: hostname.replace(/^www\./, '').toLowerCase(), path: pathname };
  } catch {
    return undefined;
  }
}
