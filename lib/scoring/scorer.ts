/** Puts the four dimensions and the domain together. Deterministic, pure, offline; nothing here can be slow or fetch. */
import { ConfigError, PipelineError } from '../../runner/errors.js';
import type { Article, Cue, Dimension, Scores } from '../../runner/items.js';
import { actionability, prepareActionability } from './actionability.js';
import { authority, prepareAuthority, type SourceHistory } from './authority.js';
import type { ScoringSettings, Weights } from './config.js';
import { depth, prepareDepth } from './depth.js';
import { DomainClassifier, type DomainResult } from './domain.js';
import { type Measured, measure } from './measure.js';
import { clamp, DIMENSIONS, type Part, round } from './part.js';
import { prepareRelevance, relevance } from './relevance.js';

export interface Scored {
  readonly scores: Scores;
  readonly domain: DomainResult;
}

export interface Scorer {
  readonly settings: ScoringSettings;
  /** Throws `score-nan` when a part is not a number. */
  score(article: Article, weights?: Weights): Scored;
  /** Weights of a preset; the configured one without a name. Throws `unknown-preset`. */
  weights(preset?: string): Weights;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    scorer: Scorer;
  }
}

export interface ScorerOptions {
  /** Per source name, from the ledger's labels. */
  readonly history?: ReadonlyMap<string, SourceHistory>;
}

/** Indexes the lexicons (about 100 ms for the shipped ones); scoring an article then takes well under a millisecond. */
export function createScorer(settings: ScoringSettings, options: ScorerOptions = {}): Scorer {
  const classifier = new DomainClassifier(settings.domains);
  const relevanceConfig = prepareRelevance(settings.scoring);
  const actionabilityConfig = prepareActionability(settings.scoring);
  const depthConfig = prepareDepth(settings.scoring, (tokens) => classifier.technicalPhrases(tokens));
  const authorityConfig = prepareAuthority(settings.authority, options.history);
  const { presets } = settings.scoring;

  const parts = (item: Measured, domain: DomainResult): Readonly<Record<Dimension, Part>> => ({
    relevance: relevance(item, relevanceConfig, domain),
    actionability: actionability(item, actionabilityConfig),
    depth: depth(item, depthConfig),
    authority: authority(item, authorityConfig),
  });

  const weights = (preset = settings.scoring.preset): Weights => {
    const found = presets[preset];
    if (!found)
      throw new ConfigError('unknown-preset', `There is no scoring preset "${preset}".`, {
        remedy: `Use one of: ${Object.keys(presets).join(', ')}.`,
      });
    return found;
  };

  return {
    settings,
    weights,
    score(article, given) {
      const item = measure(article);
      const domain = classifier.classify(item);
      return { scores: combine(parts(item, domain), given ?? weights()), domain };
    },
  };
}

/** The four parts with their weighted sum. Throws `score-nan` rather than let a broken part pass as zero. */
export function combine(parts: Readonly<Record<Dimension, Part>>, weights: Weights): Scores {
  const evidence = {} as Record<Dimension, readonly Cue[]>;
  for (const dimension of DIMENSIONS) {
    const { value } = parts[dimension];
    if (!Number.isFinite(value))
      throw new PipelineError('score-nan', `The ${dimension} score is not a number.`, {
        remedy: 'The item is kept as unscored and tried again; please report the article.',
      });
    evidence[dimension] = parts[dimension].evidence;
  }
  const values = {
    relevance: parts.relevance.value,
    actionability: parts.actionability.value,
    depth: parts.depth.value,
    authority: parts.authority.value,
  };
  return { ...values, composite: composite(values, weights), evidence };
}

/** Weighted sum of the parts, 0..1, rounded so that 0.55 is 0.55 (not 0.5499999) when it meets a threshold. */
export function composite(values: Readonly<Record<Dimension, number>>, weights: Weights): number {
  return round(clamp(DIMENSIONS.reduce((sum, d) => sum + weights[d] * values[d], 0)));
}
