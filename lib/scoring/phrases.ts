/** Finds thousands of phrases in a list of words in one pass: leftmost longest match, by first word. */
import { fold, tokenize } from './tokens.js';

interface Entry<T> {
  readonly phrase: string;
  readonly words: readonly string[];
  readonly values: T[];
}

export interface PhraseHit<T> {
  readonly phrase: string;
  /** What was registered for the phrase; several when the phrase was added more than once. */
  readonly values: readonly T[];
  /** Position of its first word. */
  readonly at: number;
  readonly words: number;
}

/** Shortest word part that a `prefix*` or `*suffix` phrase may have. */
const MIN_PART = 2;
/** Words remembered; a vocabulary of that size covers most texts of a feed list. */
const MAX_REMEMBERED = 20_000;

/**
 * A set of phrases with values. The longest phrase at a place wins and uses its words up, so that "sql injection" is
 * not also "sql". Cost per word: one map look-up and as many comparisons as there are phrases with that first word.
 */
export class PhraseIndex<T> {
  readonly #byFirst = new Map<string, Entry<T>[]>();
  readonly #prefixes = new Map<string, Entry<T>>();
  readonly #suffixes = new Map<string, Entry<T>>();
  /** Longest wildcard part: a longer stretch of a word need not be tried. */
  #longestPart = 0;
  /** Words already tried against the wildcards; null for those that fit none. Texts repeat their words. */
  readonly #byWildcard = new Map<string, Entry<T> | null>();
  size = 0;

  add(phrase: string, value: T): void {
    const folded = fold(phrase).trim();
    this.#byWildcard.clear();
    const wildcard = /^[\p{L}\p{N}]{2,}\*$|^\*[\p{L}\p{N}]{2,}$/u.test(folded);
    if (wildcard) {
      const map = folded.startsWith('*') ? this.#suffixes : this.#prefixes;
      const part = folded.replace('*', '');
      this.#longestPart = Math.max(this.#longestPart, part.length);
      this.#put(map.get(part), phrase, [part], value, (entry) => map.set(part, entry));
      return;
    }
    const words = tokenize(phrase);
    const [first] = words;
    if (first === undefined) return;
    const list = this.#byFirst.get(first) ?? [];
    this.#byFirst.set(first, list);
    const same = list.find((e) => e.words.length === words.length && e.words.every((w, i) => w === words[i]));
    this.#put(same, phrase, words, value, (entry) => {
      list.push(entry);
      list.sort((a, b) => b.words.length - a.words.length);
    });
  }

  #put(known: Entry<T> | undefined, phrase: string, words: string[], value: T, keep: (entry: Entry<T>) => void): void {
    if (known) known.values.push(value);
    else {
      keep({ phrase: phrase.trim().toLowerCase(), words, values: [value] });
      this.size++;
    }
  }

  find(tokens: readonly string[]): PhraseHit<T>[] {
    const hits: PhraseHit<T>[] = [];
    for (let at = 0; at < tokens.length; ) {
      const entry = this.#at(tokens, at);
      if (entry) hits.push({ phrase: entry.phrase, values: entry.values, at, words: entry.words.length });
      at += entry?.words.length ?? 1;
    }
    return hits;
  }

  #at(tokens: readonly string[], at: number): Entry<T> | undefined {
    const token = tokens[at] ?? '';
    const exact = this.#byFirst.get(token)?.find((e) => e.words.every((word, i) => tokens[at + i] === word));
    if (exact) return exact;
    const known = this.#byWildcard.get(token);
    if (known !== undefined) return known ?? undefined;
    if (this.#byWildcard.size >= MAX_REMEMBERED) this.#byWildcard.clear();
    const found = this.#wildcard(token);
    this.#byWildcard.set(token, found ?? null);
    return found;
  }

  #wildcard(token: string): Entry<T> | undefined {
    for (let length = Math.min(token.length - 1, this.#longestPart); length >= MIN_PART; length--) {
      const found = this.#prefixes.get(token.slice(0, length)) ?? this.#suffixes.get(token.slice(-length));
      if (found) return found;
    }
    return undefined;
  }
}
