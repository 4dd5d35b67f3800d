/** Relevance: how well an article fits the interests the user configured. No embeddings, no network. */
import type { Cue } from '../../runner/items.js';
import type { Interest, ScoringConfig } from './config.js';
import { OTHER } from './domain.js';
import type { Measured } from './measure.js';
import { type Part, part, saturate } from './part.js';
import { PhraseIndex } from './phrases.js';
import { tokenize } from './tokens.js';

export interface RelevanceConfig {
  readonly neutral: number;
  readonly domains: Readonly<Record<string, number>>;
  readonly wanted: PhraseIndex<Interest>;
  readonly muted: PhraseIndex<Interest>;
}

/** What an article's domains amount to: name and summed cue weight of each (`DomainResult`). */
export interface DomainStrengths {
  readonly domain: string;
  readonly second?: string;
  readonly scores: Readonly<Record<string, number>>;
}

export function prepareRelevance({ interests, neutral }: ScoringConfig): RelevanceConfig {
  const { domains, topics, projects, people, learned, muted } = interests;
  return { neutral, domains, wanted: indexOf([...topics, ...projects, ...people, ...learned]), muted: indexOf(muted) };
}

function indexOf(interests: readonly Interest[]): PhraseIndex<Interest> {
  const index = new PhraseIndex<Interest>();
  for (const interest of interests) for (const phrase of interest.phrases) index.add(phrase, interest);
  return index;
}

/** Cue weight at which a domain counts half its interest: one decisive phrase in the title is 3. */
const DOMAIN_HALF = 0.8;
/** The same for a topic's hits; see `strengths` for what a hit counts. */
const TOPIC_HALF = 0.8;

/**
 * Every matching interest takes its share of what is still missing to 1, so more matches never lower the value;
 * muted interests then take theirs away.
 */
export function relevance(item: Measured, config: RelevanceConfig, domain: DomainStrengths): Part {
  const nothing = item.titleTokens.length === 0 && item.textTokens.length === 0;
  if (nothing) return part(config.neutral, [{ cue: 'neither title nor text: neutral', weight: 0 }]);
  if (config.wanted.size === 0 && Object.keys(config.domains).length === 0)
    return part(config.neutral, [{ cue: 'no interests configured: neutral', weight: 0 }]);
  const evidence: Cue[] = [];
  let missing = 1;
  const take = (cue: string, share: number) => {
    missing *= 1 - share;
    evidence.push({ cue, weight: share });
  };
  if (domain.domain !== OTHER) {
    const share = (config.domains[domain.domain] ?? 0) * saturate(domain.scores[domain.domain] ?? 0, DOMAIN_HALF);
    if (share > 0) take(`domain ${domain.domain}`, share);
  }
  for (const [interest, { strength, phrase }] of strengths(item, config.wanted))
    take(`${interest.name}: "${phrase}"`, interest.weight * saturate(strength, TOPIC_HALF));
  let value = 1 - missing;
  for (const [interest, { strength, phrase }] of strengths(item, config.muted)) {
    const share = interest.weight * saturate(strength, TOPIC_HALF);
    value *= 1 - share;
    evidence.push({ cue: `muted ${interest.name}: "${phrase}"`, weight: -share });
  }
  if (evidence.length === 0) evidence.push({ cue: 'no interest matches', weight: 0 });
  return part(value, evidence);
}

/** Per interest: a title hit counts 2, a tag 0.5, the text ln(1 + hits). */
function strengths(item: Measured, index: PhraseIndex<Interest>): Map<Interest, { strength: number; phrase: string }> {
  const found = new Map<Interest, { strength: number; phrase: string }>();
  const add = (tokens: readonly string[], worth: (hits: number) => number) => {
    const hits = new Map<Interest, { n: number; phrase: string }>();
    for (const { phrase, values } of index.find(tokens))
      for (const interest of values) {
        const known = hits.get(interest);
        hits.set(interest, { n: (known?.n ?? 0) + 1, phrase: known?.phrase ?? phrase });
      }
    for (const [interest, { n, phrase }] of hits) {
      const known = found.get(interest);
      found.set(interest, { strength: (known?.strength ?? 0) + worth(n), phrase: known?.phrase ?? phrase });
    }
  };
  add(item.titleTokens, () => 2);
  const { author, tags, source } = item.article;
  add(tags.slice(0, 30).flatMap(tokenize), () => 0.5);
  add(tokenize(`${author ?? ''} ${source.name}`), () => 1);
  add(item.textTokens, (n) => Math.log(1 + n));
  return found;
}
