/** The words that a reader sees in a text but a plain tokenizer does not: kept in a column of their own in the keyword index. */
import { characterPairs, fold, UNSPACED } from './words.js';

/** A name with inner capitals, or with digits after letters: `parseFrontmatter`, `XMLHttpRequest`. */
const INNER_CAPITAL = /[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*|\p{Lu}{2,}\p{Ll}[\p{L}\p{N}]*/gu;
/** `C++`, `c#`, `F#`, `g++`: the sign is part of the name. Not `foo#` (a heading link) nor `i++` inside code such as `i++)`. */
export const SIGNED_NAME = /(?<![\p{L}\p{N}_.])(\p{L}{1,3})(\+\+|#)(?![\p{L}\p{N}_+#])/gu;
/** Cheap tests that spare plain English prose the searches by character class, a tenth of an index run's time. */
const ASCII_ONLY = /^[\x00-\x7f]*$/;
const MAYBE_INNER_CAPITAL = /[a-z][A-Z]|[A-Z]{2}[a-z]/;
const EMOJI = /\p{Extended_Pictographic}/gu;
/** Letters or digits that touch a script without spaces: `使用API接口`. */
const GLUED =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー])[A-Za-z0-9]+|[A-Za-z0-9]+(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/gu;

/**
 * `parseFrontmatter` -> `parse frontmatter`, `XMLHttpRequest` -> `xml http request`; one part when there is no inner
 * capital, or when the first part would be a lone letter (`OAuth`, `iPhone`: one word to a reader).
 */
export function nameParts(name: string): string[] {
  const spaced = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  const parts = fold(spaced).match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts[0]?.length === 1 ? [parts.join('')] : parts;
}

/** `C++` -> `cplusplus`, `C#` -> `csharp`: a plain word the index can hold. */
export function signedName(letters: string, sign: string): string {
  return fold(letters) + (sign === '#' ? 'sharp' : 'plusplus');
}

/** A letters-only token for an emoji, since unicode61 drops symbols. */
export function emojiTerm(emoji: string): string {
  return `emoji${(emoji.codePointAt(0) ?? 0).toString(16)}`;
}

/**
 * Extra index terms of a text, space-separated, in order of appearance; empty for plain prose. Part of the index
 * format: a change here needs a rebuild, see `INDEX_TERMS_VERSION`.
 */
export function indexTerms(text: string): string {
  const out: string[] = [];
  const nfc = text.normalize('NFC');
  const ascii = ASCII_ONLY.test(nfc);
  for (const [name] of ascii && !MAYBE_INNER_CAPITAL.test(nfc) ? [] : nfc.matchAll(INNER_CAPITAL)) {
    const parts = nameParts(name);
    if (parts.length > 1) out.push(...parts);
  }
  for (const [, letters = '', sign = ''] of nfc.matchAll(SIGNED_NAME)) out.push(signedName(letters, sign));
  if (ascii) return out.join(' ');
  for (const [run] of nfc.matchAll(UNSPACED)) out.push(...characterPairs(run));
  for (const [glued] of nfc.matchAll(GLUED)) out.push(fold(glued));
  for (const [emoji] of nfc.matchAll(EMOJI)) out.push(emojiTerm(emoji));
  return out.join(' ');
}

/** Raised whenever `indexTerms` gives other terms for the same text. */
export const INDEX_TERMS_VERSION = 1;
