/** The meaning leg: the chunks whose vectors are nearest to the query's. */
import { z } from 'zod';
import { accepts, acceptsAll } from '../../lib/query/accepts.js';
import { parseQuery } from '../../lib/query/parse.js';
import type { Hit, Query } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';

const config = z.strictObject({
  top: z.number().int().min(1).max(1000).default(30).describe('How many chunks to find.'),
});

/** When some hits will be refused for an excluded word, look at more of them. */
const LOOK_FURTHER = 8;

export const matchVector = defineStage({
  name: 'match-vector',
  summary: 'Finds chunks by meaning, highest cosine first.',
  docs: `Exact search over all chunks that pass the metadata filter, so a filter to a small folder gives its best. What
the query demands by \`"phrase"\` or \`-word\` holds here too.`,
  takes: 'Query',
  gives: 'Hit',
  mode: 'each',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: ({ top }) => ({
    async run(query: Query, ctx): Promise<readonly Hit[] | Drop> {
      const { vector, fingerprint, filter } = query;
      if (!vector || fingerprint === undefined) return drop('no-vector');
      const parsed = parseQuery(query.text);
      if (parsed.wanted.length === 0) return [];
      const store = await ctx.use('store');
      if (acceptsAll(parsed)) return store.matchVector(vector, { top, filter, fingerprint, signal: ctx.signal });
      const many = await store.matchVector(vector, {
        top: top * LOOK_FURTHER,
        filter,
        fingerprint,
        signal: ctx.signal,
      });
      const kept = many.filter((hit) => accepts(parsed, hit)).slice(0, top);
      return kept.map((hit, i) => ({ ...hit, vecRank: i + 1 }));
    },
  }),
});
