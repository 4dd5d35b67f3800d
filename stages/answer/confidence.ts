/** Tells an answer from the nearest miss: a calibrated confidence for the whole result set. */
import { z } from 'zod';
import { confidenceOf, EVIDENCE_FROM, measure } from '../../lib/answer/confidence.js';
import { parseQuery } from '../../lib/query/parse.js';
import { analyse, stemsOf } from '../../lib/ranking/lexical.js';
import type { Hit, Item, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  good: z.number().min(0).max(1).default(0.5).describe('Confidence from which results count as a good match.'),
});

export const confidence = defineStage({
  name: 'confidence',
  summary: 'Reports how likely the results answer the query at all.',
  docs: `Looks at how much of the query, rare words first, the best candidates hold, and at the highest cosine. Reported
as \`confidence\` (0..1) and \`good\`; below the threshold a notice says "no good match". Rates: docs/retrieval.md.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: ({ good }) => ({
    async run(items: readonly Item<'Hit'>[], ctx): Promise<readonly Hit[]> {
      const hits = items.map((item) => item.data);
      const store = await ctx.use('store');
      const stemmer = await store.stemmer?.();
      const query = parseQuery((ctx.input?.data as Query | undefined)?.text ?? '', { stemmer });
      const leading = hits.slice(0, EVIDENCE_FROM).map((hit) => ({
        cosine: hit.cosine,
        analysed: analyse(
          [hit.text, hit.section, hit.meta.title, hit.meta.tags.join('\n')].map((text) => ({ text, weight: 1 })),
          stemmer,
        ),
      }));
      const evidence = measure(query, leading, await store.textStats(stemsOf(query)));
      const value = hits.length === 0 ? 0 : confidenceOf(evidence);
      ctx.report('confidence', { confidence: value, good: value >= good, ...evidence });
      if (value < good && query.wanted.length > 0) {
        ctx.notice(
          'no-good-match',
          'No good match: the best results hold little of the query. Try broader or other words.',
        );
      }
      return hits;
    },
  }),
});
