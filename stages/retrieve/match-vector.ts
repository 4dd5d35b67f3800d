/** The meaning leg: the chunks whose vectors are nearest to the query's. */
import { z } from 'zod';
import { accepts, acceptsAll } from '../../lib/query/accepts.js';
import { parseQuery } from '../../lib/query/parse.js';
import type { Hit, Query } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';
import { duration } from '../../runner/values.js';

const config = z.strictObject({
  top: z.number().int().min(1).max(1000).default(30).describe('How many chunks to find.'),
  candidates: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('With `stale`: how many the distance finds before age is looked at.'),
  stale: z
    .strictObject({
      after: duration().prefault('6 months').describe('Age from which a note counts as old.'),
      penalty: z.number().min(0).max(1).default(0.05).describe('Taken from its cosine.'),
    })
    .optional()
    .describe('Two-level search: fresh notes come before old ones of nearly the same meaning.'),
});

/** When some hits will be refused for an excluded word, look at more of them. */
const LOOK_FURTHER = 8;

export const matchVector = defineStage({
  name: 'match-vector',
  summary: 'Finds chunks by meaning, highest cosine first.',
  docs: `Exact search over all chunks that pass the metadata filter, so a filter to a small folder gives its best. What
the query demands by \`"phrase"\` or \`-word\` holds here too. With \`stale\` the nearest \`candidates\` are found by
distance alone, which an index answers, and only then do old notes lose their penalty.`,
  takes: 'Query',
  gives: 'Hit',
  mode: 'each',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: ({ top, candidates, stale: old }) => ({
    async run(query: Query, ctx): Promise<readonly Hit[] | Drop> {
      const { vector, fingerprint, filter } = query;
      if (!vector || fingerprint === undefined) return drop('no-vector');
      const store = await ctx.use('store');
      const parsed = parseQuery(query.text, { stemmer: await store.stemmer?.() });
      if (parsed.wanted.length === 0) return [];
      const stale = old && {
        penalty: old.penalty,
        candidates,
        before: new Date(ctx.now() - old.after).toISOString().slice(0, 10),
      };
      const options = { filter, fingerprint, signal: ctx.signal, ...(stale ? { stale } : {}) };
      if (acceptsAll(parsed)) return store.matchVector(vector, { ...options, top });
      const many = await store.matchVector(vector, { ...options, top: top * LOOK_FURTHER });
      const kept = many.filter((hit) => accepts(parsed, hit)).slice(0, top);
      return kept.map((hit, i) => ({ ...hit, vecRank: i + 1 }));
    },
  }),
});
