/** Adds to each result the piece of its text that shows why it matched. */
import { z } from 'zod';
import { excerpt as cutExcerpt } from '../../lib/answer/excerpt.js';
import { parseQuery } from '../../lib/query/parse.js';
import type { Hit, Item, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  length: z.number().int().min(20).max(2000).default(240).describe('Characters at most.'),
});

export const excerpt = defineStage({
  name: 'excerpt',
  summary: 'Gives each result a short excerpt centred on what matched.',
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: ({ length }) => ({
    async run(items: readonly Item<'Hit'>[], ctx): Promise<readonly Hit[]> {
      const stemmer = await (await ctx.use('store')).stemmer?.();
      const query = parseQuery((ctx.input?.data as Query | undefined)?.text ?? '', { stemmer });
      return items.map(({ data }) => ({ ...data, excerpt: cutExcerpt(data.text, query, length) }));
    },
  }),
});
