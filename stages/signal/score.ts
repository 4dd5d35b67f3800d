/** Judges an article in four dimensions and gives it a domain; keeps the cues behind every number. */
import { z } from 'zod';
import { weightsSchema } from '../../lib/scoring/config.js';
import { OTHER } from '../../lib/scoring/domain.js';
import { messageOf } from '../../runner/errors.js';
import type { Article, Signal } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  preset: z.string().optional().describe('Named weights of config/scoring.yaml; the default one when absent.'),
  weights: weightsSchema.optional().describe('Weights of this pipeline; they overrule the preset and must sum to 1.'),
});

export const score = defineStage({
  name: 'score',
  summary: 'Scores relevance, actionability, depth and authority (0..1, with evidence) and classifies the domain.',
  docs: `Deterministic, offline, no language model. The lexicons are data: config/scoring.yaml, authority.yaml and
domains.yaml. An article that cannot be scored becomes \`unscored\` and is kept for a retry; it never counts as 0.`,
  takes: 'Article',
  gives: 'Signal',
  mode: 'each',
  config,
  effects: ['none'],
  needs: ['scorer'],
  create: ({ preset, weights }) => ({
    async run(article: Article, ctx): Promise<Signal> {
      const scorer = await ctx.use('scorer');
      // Outside the try: a preset that does not exist is the pipeline's mistake, not the article's.
      const chosen = weights ?? scorer.weights(preset);
      try {
        const { scores, domain } = scorer.score(article, chosen);
        ctx.note(`composite ${scores.composite.toFixed(3)}, domain ${domain.domain}`);
        return {
          article,
          scores,
          domain: domain.domain,
          ...(domain.second === undefined ? {} : { domainSecond: domain.second }),
          domainEvidence: domain.evidence,
        };
      } catch (error) {
        ctx.log('warn', `"${article.title}" could not be scored: ${messageOf(error)}`);
        ctx.note('unscored');
        return { article, domain: OTHER, decision: 'unscored', reason: `scoring failed: ${messageOf(error)}` };
      }
    },
  }),
});
