/** Turns whatever a user types into a keyword query. Any string is valid; nothing here throws or passes syntax through. */
import { emojiTerm, nameParts, signedName } from './index-terms.js';
import { ENGLISH, type Stemmer } from './stemmer.js';
import type { TextQuery, TextTerm } from './text-query.js';
import { characterPairs, isStopWord, UNSPACED, words } from './words.js';

export interface ParseOptions {
  /** Treat the last word as the beginning of one (search as you type). */
  readonly prefix?: boolean;
  /** Of the index that is asked; default: English. */
  readonly stemmer?: Stemmer | undefined;
}

/**
 * Terms kept of a very long query, the most repeated first: a pasted page of 10 kB has hundreds, and every further one
 * costs an index scan while it hardly moves the ranking (the longest judged query of the development sets has 119).
 */
const MAX_TERMS = 48;

/** `-"…"`, `"…"` with straight or curly quotes, or a run without spaces and quotes. */
const PIECES = /(?<minus>(?<=^|\s)-)?["“”„«»](?<quoted>[^"“”„«»]*)["“”„«»]|(?<bare>[^\s"“”„«»]+)/gu;
/** Marks that end a word even without a space. What is left inside (`-`, `_`, `.`, `/`, `:`, `@` …) joins an identifier. */
const BREAKS = /[,;!?()[\]{}<>|=…。、，；！？（）【】「」『』《》]+/u;
const EDGES = /^[^\p{L}\p{N}\p{Co}\p{Extended_Pictographic}]+|[^\p{L}\p{N}\p{M}\p{Co}\p{Extended_Pictographic}+#]+$/gu;
const SIGNED = /^(\p{L}{1,3})(\+\+|#)$/u;
const EMOJI = /\p{Extended_Pictographic}/gu;
/** Words joined by a hyphen or slash, letters only: `multi-agent`, `client/server`. Its parts mean something alone. */
const COMPOUND = /^\p{L}{3,}([-/]\p{L}{2,})+$/u;
/** Control characters and halves of surrogate pairs. */
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f]|\p{Surrogate}/gu;

type Kind = TextTerm['kind'];

/** Collects terms, counting repeats. */
class Terms {
  private readonly byKey = new Map<string, TextTerm>();

  add(kind: Kind, parts: readonly string[], source: string, prefix = false): void {
    if (parts.length > 0) this.put({ words: parts, prefix, source, kind, weight: 1 });
  }

  put(term: TextTerm): void {
    const key = `${term.kind === 'phrase' ? '"' : ''}${term.words.join(' ')}`;
    const known = this.byKey.get(key);
    this.byKey.set(key, known ? { ...known, weight: known.weight + term.weight } : term);
  }

  list(): TextTerm[] {
    return [...this.byKey.values()];
  }
}

/** Parses a query. `wanted` is empty when there is nothing to look for by keyword: only exclusions, or only signs. */
export function parseQuery(text: string, options: ParseOptions = {}): TextQuery {
  const source = text.replace(UNPRINTABLE, ' ').normalize('NFC');
  const wanted = new Terms();
  const excluded = new Terms();
  const inOrder: string[] = [];
  for (const piece of source.matchAll(PIECES)) {
    const { minus, quoted, bare = '' } = piece.groups ?? {};
    if (quoted !== undefined) {
      if (minus) addQuoted(excluded, quoted);
      else inOrder.push(...addQuoted(wanted, quoted));
    } else if (/^-[\p{L}\p{N}]/u.test(bare)) addExcluded(excluded, bare.slice(1));
    else inOrder.push(...addBare(wanted, bare));
  }
  const terms = limit(dropStopWords(softenQuotes(wanted.list())));
  return {
    wanted: options.prefix && /[\p{L}\p{N}]$/u.test(source) ? lastAsPrefix(terms) : terms,
    excluded: excluded.list(),
    words: inOrder,
    source,
    stemmer: options.stemmer ?? ENGLISH,
  };
}

function addQuoted(into: Terms, quoted: string): readonly string[] {
  const parts = words(quoted);
  const pairs = quoted.match(UNSPACED);
  // A quoted run of a script without spaces lives in the index as pairs; a mixed phrase keeps its words as they are.
  if (pairs?.length === 1 && pairs[0] === quoted.trim()) addUnspaced(into, quoted.trim(), 'phrase');
  else into.add('phrase', parts, quoted);
  return parts;
}

function addBare(into: Terms, bare: string): readonly string[] {
  const seen: string[] = [];
  for (const emoji of bare.match(EMOJI) ?? []) into.add('word', [emojiTerm(emoji)], emoji);
  for (const raw of bare.split(BREAKS)) {
    const chunk = raw.replace(EDGES, '');
    for (const run of chunk.match(UNSPACED) ?? []) addUnspaced(into, run, 'cjk');
    for (const piece of chunk.split(UNSPACED)) {
      addName(into, piece);
      seen.push(...words(piece));
    }
  }
  return seen;
}

/** An excluded name goes out whole and only as it stands: `-multi-agent` must not take every note about agents along. */
function addExcluded(into: Terms, bare: string): void {
  const name = bare.replace(EDGES, '');
  const signed = SIGNED.exec(name);
  const runs = name.match(UNSPACED);
  if (signed) into.add('word', [signedName(signed[1] ?? '', signed[2] ?? '')], name);
  else if (runs) for (const run of runs) addUnspaced(into, run, 'phrase');
  else into.add('phrase', words(name), name);
}

/** One or two characters, or a short word, must be found as they stand; a longer run is a sentence, any pair counts. */
const LONGEST_UNSPACED_WORD = 4;

function addUnspaced(into: Terms, run: string, kind: 'cjk' | 'phrase'): void {
  const pairs = characterPairs(run);
  const whole = pairs.length > 1 ? pairs.slice(0, -1) : pairs;
  // A lone character starts one of the indexed pairs, or is the last of its run.
  into.add(kind, whole, run, pairs.length === 1);
  if (kind === 'cjk' && whole.length >= LONGEST_UNSPACED_WORD) for (const pair of whole) into.add('cjk', [pair], pair);
}

function addName(into: Terms, raw: string): void {
  const name = raw.replace(EDGES, '').replace(/['’]s$/u, '');
  const signed = SIGNED.exec(name);
  if (signed) into.add('word', [signedName(signed[1] ?? '', signed[2] ?? '')], name);
  const parts = words(name);
  if (parts.length === 1) {
    into.add('word', parts, name);
    const inner = nameParts(name);
    if (inner.length > 1) into.add('identifier', inner, name);
  } else if (parts.length > 1) {
    into.add('identifier', parts, name);
    if (COMPOUND.test(name)) for (const part of parts) into.add('word', [part], part);
  }
}

/**
 * In a handful of words quotes demand; in prose (a pasted question, an abstract) they mark a title or a way of
 * speaking, and demanding that finds nothing. There the phrase is a preference, and its words count by themselves.
 */
const PROSE_WORDS = 6;

function softenQuotes(terms: readonly TextTerm[]): readonly TextTerm[] {
  const others = terms.filter((term) => term.kind !== 'phrase' && !term.words.every(isStopWord));
  if (others.length <= PROSE_WORDS) return terms;
  const soft = new Terms();
  for (const term of terms) {
    if (term.kind !== 'phrase') soft.put(term);
    else {
      soft.put({ ...term, kind: term.words.length > 1 ? 'identifier' : 'word' });
      if (term.words.length > 1) for (const word of term.words) soft.add('word', [word], word);
    }
  }
  return soft.list();
}

/** A term all of whose words are stop words goes, unless nothing else is left. Phrases are the user's explicit wish and stay. */
function dropStopWords(terms: readonly TextTerm[]): readonly TextTerm[] {
  const kept = terms.filter((term) => term.kind === 'phrase' || !term.words.every(isStopWord));
  return kept.length > 0 ? kept : terms;
}

function limit(terms: readonly TextTerm[]): readonly TextTerm[] {
  if (terms.length <= MAX_TERMS) return terms;
  const ranked = [...terms].sort(
    (a, b) => Number(b.kind === 'phrase') - Number(a.kind === 'phrase') || b.weight - a.weight,
  );
  const kept = new Set(ranked.slice(0, MAX_TERMS));
  return terms.filter((term) => kept.has(term));
}

function lastAsPrefix(terms: readonly TextTerm[]): readonly TextTerm[] {
  const last = terms.at(-1);
  return last ? [...terms.slice(0, -1), { ...last, prefix: true }] : terms;
}
