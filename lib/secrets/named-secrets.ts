/**
 * Assignments whose name alone says "secret": judged by the words of the name and by what the value looks like.
 * Word lists are data (config/secrets.yaml); the tests on values are here because they are logic, not lists.
 */
import { type Assignment, splitWords } from './assignment.js';
import { entropy } from './entropy.js';
import { anyOf } from './re2.js';
import type { AssignmentRules } from './rules.js';

/** Names judged before: a vault says the same few again and again, hostile text one a hundred thousand times. */
const NAMES_KEPT = 2000;

/** What a value looks like shows in its first characters; hostile text has a hundred thousand of 320. */
const JUDGED = 128;

export type NamedSecret = 'password' | 'secret';

export interface NameGrammar {
  /** What an assigned name promises, or undefined when it is harmless. */
  classify(name: string): NamedSecret | undefined;
  /** Whether the value is one a person or a machine would keep secret. */
  isSecret(kind: NamedSecret, assignment: Assignment, name: string): boolean;
  /** The same for a value that merely stands beside the name ("the token is …"): only unmistakable ones. */
  isStrayToken(value: string): boolean;
}

/** Compiles the word lists. */
export function nameGrammar(rules: AssignmentRules): NameGrammar {
  const password = new Set(rules.password);
  const secret = new Set(rules.secret);
  const key = new Set(rules.key);
  const after = new Set(rules.after);
  const harmless = new Set(rules.harmless);
  const shipped = new RegExp(rules.placeholders.map((p) => `(?:${p})`).join('|') || '(?!)', 'i');
  const own = anyOf(rules.ownPlaceholders, 'A placeholder of secrets.yaml');
  const isPlaceholder = (value: string): boolean => {
    const judged = value.slice(0, JUDGED);
    return shipped.test(judged) || own(judged);
  };

  const lastMeaningful = (words: readonly string[]): number => {
    let last = words.length - 1;
    while (last > 0 && after.has(words[last] ?? '')) last--;
    return last;
  };

  const classified = new Map<string, NamedSecret | undefined>();
  const classify = (name: string): NamedSecret | undefined => {
    const known = classified.get(name);
    if (known !== undefined || classified.has(name)) return known;
    if (classified.size >= NAMES_KEPT) classified.clear();
    const found = classifyWords(splitWords(name));
    classified.set(name, found);
    return found;
  };

  const classifyWords = (words: readonly string[]): NamedSecret | undefined => {
    const last = lastMeaningful(words);
    const word = words[last] ?? '';
    if (words.slice(Math.max(0, last - 2), last).some((w) => harmless.has(w)) || harmless.has(word)) return undefined;
    if (password.has(word) || endsWithAny(word, password, 5)) return 'password';
    if (secret.has(word) || endsWithAny(word, secret, 5)) return 'secret';
    if (word === 'key' || word === 'keys') return key.has(words[last - 1] ?? '') ? 'secret' : undefined;
    return undefined;
  };

  return {
    classify,
    isSecret(kind, { separator, value, quoted, shortened }, name) {
      if (shortened || (separator === ',' && !quoted)) return false;
      if (isPlaceholder(value) || /\s/.test(value)) return false;
      if (isReference(value)) return false;
      return kind === 'password' ? isPassword(value, name) : isToken(value, rules.entropy);
    },
    isStrayToken: (value) =>
      value.length >= 20 &&
      /[a-z]/.test(value) &&
      /[A-Z]/.test(value) &&
      /[0-9]/.test(value) &&
      !isPlaceholder(value) &&
      !isReference(value) &&
      !isSlug(value) &&
      entropy(value) >= 4,
  };
}

/** `dbpassword`, `accesstoken`: the word written together with what comes before it. */
function endsWithAny(word: string, endings: ReadonlySet<string>, shortest: number): boolean {
  for (const ending of endings) if (ending.length >= shortest && word.endsWith(ending)) return true;
  return false;
}

/** Paths, URLs, file names, dotted identifiers, calls and variables: they name a secret's place, not the secret. */
function isReference(value: string): boolean {
  if (/^(?:[$%{<@/~#*]|\.{1,2}\/|https?:|file:|--)/.test(value)) return true;
  if (
    /\.(?:[jt]sx?|mjs|json|ya?ml|toml|pem|crt|cer|key|p12|pfx|jks|txt|md|html?|py|go|rb|java|sh|png|jpe?g|svg|com|org|net|io|dev)$/i.test(
      value,
    )
  )
    return true;
  if (/^[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]*)+$/.test(value)) return true;
  return isPath(value);
}

/** Slash-separated names, most of them words: `models/all-MiniLM-L6-v2`. Base64 has slashes too, but not words between them. */
function isPath(value: string): boolean {
  const parts = value.split('/');
  if (parts.length < 2) return false;
  const wordy = parts.filter((p) => p === '' || isSlug(p) || /^[a-z]+$/i.test(p)).length;
  return wordy >= parts.length / 2;
}

/** Words and short numbers joined by `-`, `_`, `.` or case: readable, so not random. */
function isSlug(value: string): boolean {
  const parts = value
    .slice(0, JUDGED)
    .replace(/([a-z])([A-Z][a-z])/g, '$1-$2')
    .split(/[-_.:]/)
    .filter((p) => p !== '');
  return parts.length > 1 && parts.every((p) => /^[A-Za-z]*[0-9]{0,4}$/.test(p) && !/[a-z][A-Z].*[a-z][A-Z]/.test(p));
}

function isToken(value: string, floor: number): boolean {
  if (value.length < 10 || !/^[\w.+/=~:!@#%^*-]+$/.test(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value) || isSlug(value)) return false;
  // Short strings cannot reach the floor: log2(12) is 3.58 with every character different.
  return entropy(value) >= Math.min(floor, Math.log2(value.length) - 0.35);
}

const ENV_NAME = /(?:^|[^a-z])[A-Z][A-Z0-9_]*$/;

/** Passwords are short and chosen by people: a letter with a digit or a symbol; in SHOUTING names also plain words. */
function isPassword(value: string, name: string): boolean {
  if (value.length < 6 || value.length > 128) return false;
  if (/^[0-9.,:/-]+$/.test(value)) return false;
  const letters = /[A-Za-z]/.test(value);
  const mixed = letters && (/[0-9]/.test(value) || /[^\w.,:;/()'"-]/.test(value));
  if (mixed) return !isSlug(value) || /[0-9]{2}$/.test(value);
  return ENV_NAME.test(name.trim()) && value.length >= 8 && entropy(value) >= 2.5;
}
