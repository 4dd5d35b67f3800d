/** Fits the results into a number of tokens and of results, and says what was left out. */
import { z } from 'zod';
import { applyBudget } from '../../lib/answer/budget.js';
import { byCharacters, exactTokens } from '../../lib/answer/tokens.js';
import type { Hit, Item, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  'max-tokens': z
    .number()
    .int()
    .min(1)
    .default(4000)
    .describe('Tokens of text at most, unless the query names its own.'),
  'first-too-long': z
    .enum(['truncate', 'skip'])
    .default('truncate')
    .describe('What happens when the best result alone is over the budget.'),
  'per-note': z.number().int().min(1).default(3).describe('Chunks of one note at most.'),
  tokenizer: z
    .enum(['chars', 'o200k'])
    .default('chars')
    .describe('`chars`: four characters a token; `o200k`: exact for recent OpenAI models, close for others.'),
});

export const budget = defineStage({
  name: 'budget',
  summary: 'Keeps the best results that fit into the token budget.',
  docs: `Greedy in rank order. The first result is truncated with \`…\` rather than dropped; later ones that do not fit
are skipped and shorter ones behind them still considered. The report names what was cut.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['none'],
  needs: [],
  create: (settings) => ({
    async run(items: readonly Item<'Hit'>[], ctx): Promise<readonly Hit[]> {
      const query = ctx.input?.data as Partial<Query> | undefined;
      const { hits, report } = applyBudget(
        items.map((item) => item.data),
        {
          maxTokens: query?.maxTokens ?? settings['max-tokens'],
          limit: query?.limit ?? Number.POSITIVE_INFINITY,
          perNote: settings['per-note'],
          firstTooLong: settings['first-too-long'],
        },
        settings.tokenizer === 'o200k' ? await exactTokens() : byCharacters,
      );
      ctx.report('budget', report);
      return hits;
    },
  }),
});
