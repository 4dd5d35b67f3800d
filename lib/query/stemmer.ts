/**
 * Stemming by language. What is stored, what is asked and what is ranked must be stemmed alike, so a stemmer goes with the
 * index (`ChunkStore.stemmer`) and from there with the query. English is Porter's, as FTS5 has it; the others are
 * Snowball's, on words without diacritics; `simple` leaves words as they are.
 */
import { ConfigError } from '../../runner/errors.js';
import { keeping, stem } from './words.js';

type Stem = (word: string) => string;
type Load = () => Promise<{ readonly stemmer: Stem }>;

/** By the names that PostgreSQL's text search configurations have. */
const SNOWBALL = {
  arabic: () => import('@orama/stemmers/arabic'),
  armenian: () => import('@orama/stemmers/armenian'),
  danish: () => import('@orama/stemmers/danish'),
  dutch: () => import('@orama/stemmers/dutch'),
  finnish: () => import('@orama/stemmers/finnish'),
  french: () => import('@orama/stemmers/french'),
  german: () => import('@orama/stemmers/german'),
  greek: () => import('@orama/stemmers/greek'),
  hungarian: () => import('@orama/stemmers/hungarian'),
  indonesian: () => import('@orama/stemmers/indonesian'),
  irish: () => import('@orama/stemmers/irish'),
  italian: () => import('@orama/stemmers/italian'),
  lithuanian: () => import('@orama/stemmers/lithuanian'),
  norwegian: () => import('@orama/stemmers/norwegian'),
  portuguese: () => import('@orama/stemmers/portuguese'),
  romanian: () => import('@orama/stemmers/romanian'),
  russian: () => import('@orama/stemmers/russian'),
  serbian: () => import('@orama/stemmers/serbian'),
  spanish: () => import('@orama/stemmers/spanish'),
  swedish: () => import('@orama/stemmers/swedish'),
  turkish: () => import('@orama/stemmers/turkish'),
} satisfies Record<string, Load>;

export type Language = 'english' | 'simple' | keyof typeof SNOWBALL;

export interface Stemmer {
  readonly language: Language;
  /** Stem of a folded word, as `words()` gives it. */
  readonly stem: Stem;
}

export const ENGLISH: Stemmer = { language: 'english', stem };
const SIMPLE: Stemmer = { language: 'simple', stem: (word) => word };

export const LANGUAGES: readonly Language[] = ['english', 'simple', ...(Object.keys(SNOWBALL) as Language[])];

export function isLanguage(name: string): name is Language {
  return (LANGUAGES as readonly string[]).includes(name);
}

const made = new Map<Language, Promise<Stemmer>>();

/**
 * The one stemmer of a language: texts taken apart are kept by it.
 * @throws {ConfigError} `language-unknown`
 */
export function stemmerFor(language: string): Promise<Stemmer> {
  if (!isLanguage(language))
    return Promise.reject(
      new ConfigError('language-unknown', `There is no stemmer for the language "${language}".`, {
        remedy: `Use one of: ${LANGUAGES.join(', ')}.`,
      }),
    );
  if (language === 'english') return Promise.resolve(ENGLISH);
  if (language === 'simple') return Promise.resolve(SIMPLE);
  const known = made.get(language) ?? load(language, SNOWBALL[language]);
  made.set(language, known);
  return known;
}

async function load(language: Language, loader: Load): Promise<Stemmer> {
  const { stemmer } = await loader();
  // Numbers and identifiers' parts are no words of the language.
  return { language, stem: keeping((word) => (word.length < 3 || /\p{N}/u.test(word) ? word : stemmer(word))) };
}
