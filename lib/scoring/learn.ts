/** Interests from what a vault already holds: its tags and the words its titles come back to. */
import type { Interest } from './config.js';
import { tokenize } from './tokens.js';

export interface NoteHead {
  readonly title: string;
  readonly tags: readonly string[];
}

/** A tag or title phrase in fewer notes than this is not an interest. */
const MIN_NOTES = 3;
/** More than a person can look through is no proposal. */
const MAX_INTERESTS = 40;
/** Words that titles and tags have whatever they are about. */
const COMMON = new Set(
  'the and for with from into about how what why when a an of to in on at by is are my your our this that new note todo draft inbox daily weekly moc index list misc project template reading book article meeting le la les des une pour avec dans sur comment pourquoi mes nos du et w z na do i jak co dla oraz nie sie'
    .split(' ')
    .map((word) => tokenize(word)[0] ?? word),
);

/** Largest first. Weights grow with the logarithm of the number of notes, 0.3 to 0.7. Deterministic. */
export function learnInterests(notes: readonly NoteHead[]): Interest[] {
  const found = new Map<string, { phrase: string; notes: number }>();
  for (const { title, tags } of notes) {
    const phrases = new Map<string, string>();
    for (const tag of tags) for (const part of tag.split('/')) addPhrase(phrases, part.replace(/[-_]/g, ' '));
    const words = title.match(/[\p{L}\p{N}][\p{L}\p{N}.+#-]*/gu) ?? [];
    for (const [at, word] of words.entries()) {
      addPhrase(phrases, word);
      const next = words[at + 1];
      if (next !== undefined && isTelling(word) && isTelling(next)) addPhrase(phrases, `${word} ${next}`);
    }
    for (const [key, phrase] of phrases) {
      const known = found.get(key);
      found.set(key, { phrase: known?.phrase ?? phrase, notes: (known?.notes ?? 0) + 1 });
    }
  }
  const frequent = [...found].filter(([, { notes: n }]) => n >= MIN_NOTES);
  const pairs = frequent.filter(([key]) => key.includes(' '));
  return frequent
    .filter(
      ([key, { notes: n }]) =>
        !pairs.some(([pair, { notes: m }]) => pair !== key && m === n && pair.split(' ').includes(key)),
    )
    .sort(([a, x], [b, y]) => y.notes - x.notes || (a < b ? -1 : 1))
    .slice(0, MAX_INTERESTS)
    .map(([, { phrase, notes: n }]) => ({
      name: phrase,
      weight: Math.round(Math.min(0.7, 0.3 + 0.1 * Math.log2(n / MIN_NOTES)) * 100) / 100,
      phrases: [phrase],
    }));
}

function addPhrase(phrases: Map<string, string>, phrase: string): void {
  const tokens = tokenize(phrase);
  if (tokens.length === 0 || !tokens.some(isTelling)) return;
  phrases.set(tokens.join(' '), phrase.toLowerCase());
}

/** At least three letters, no bare number, no word that says nothing. */
function isTelling(word: string): boolean {
  const [token = ''] = tokenize(word);
  return token.length >= 3 && /\p{L}/u.test(token) && !COMMON.has(token);
}
