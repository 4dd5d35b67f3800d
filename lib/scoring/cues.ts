/** Cue phrases of an article's language (and English, the language of technical terms) with saturating weights. */
import type { Cue } from '../../runner/items.js';
import type { CueGroups, Language } from './config.js';
import type { Measured } from './measure.js';
import { PhraseIndex } from './phrases.js';

interface Group {
  readonly name: string;
  readonly weight: number;
}

/** Cues by language, indexed once. */
export class CueFinder {
  readonly #byLanguage: Readonly<Record<Language, PhraseIndex<Group>>>;

  constructor(config: Readonly<Record<Language, CueGroups>>) {
    this.#byLanguage = { en: indexOf(config.en), fr: indexOf(config.fr), pl: indexOf(config.pl) };
  }

  /**
   * Groups that fire, each once. A phrase in the title counts in full; in the text the first counts half the weight
   * and further different ones bring it up to three quarters: what an article is about stands in its title.
   */
  find(item: Measured, textLimit = Number.POSITIVE_INFINITY): Cue[] {
    const groups = new Map<string, { weight: number; title: Set<string>; text: Set<string> }>();
    const languages = new Set<Language>(['en', ...(item.language ? [item.language] : [])]);
    for (const language of languages) {
      const index = this.#byLanguage[language];
      const collect = (tokens: readonly string[], place: 'title' | 'text') => {
        for (const { phrase, values } of index.find(tokens)) {
          for (const { name, weight } of values) {
            const group = groups.get(name) ?? { weight, title: new Set(), text: new Set() };
            group[place].add(phrase);
            groups.set(name, group);
          }
        }
      };
      collect(item.titleTokens, 'title');
      collect(item.textTokens.slice(0, textLimit), 'text');
    }
    return [...groups].map(([name, { weight, title, text }]) => {
      const fromText = text.size === 0 ? 0 : 0.75 - 0.25 / text.size;
      const [first] = [...title, ...text];
      const place = title.size > 0 ? 'title' : 'text';
      const more = title.size + text.size > 1 ? ` +${title.size + text.size - 1}` : '';
      return {
        cue: `${name}: "${first ?? ''}" in ${place}${more}`,
        weight: weight * Math.max(title.size > 0 ? 1 : 0, fromText),
      };
    });
  }
}

function indexOf(groups: CueGroups): PhraseIndex<Group> {
  const index = new PhraseIndex<Group>();
  for (const [name, { weight, phrases }] of Object.entries(groups))
    for (const phrase of phrases) index.add(phrase, { name, weight });
  return index;
}

/** What is left after each pull took its share; the cues come back with negative weights. */
export function pull(cues: readonly Cue[]): { factor: number; evidence: Cue[] } {
  const factor = cues.reduce((left, { weight }) => left * (1 - Math.min(1, weight)), 1);
  return { factor, evidence: cues.map(({ cue, weight }) => ({ cue, weight: -Math.min(1, weight) })) };
}
