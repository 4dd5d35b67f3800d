/** Named notes instead of a search: what a block lists by path, or a map of content by its links. */
import { z } from 'zod';
import { matchesFilter } from '../../lib/query/filter.js';
import type { Hit, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

export const matchNotes = defineStage({
  name: 'match-notes',
  summary: 'Gives all chunks of the notes that the query names, in their order.',
  docs: `For queries with \`notes\`; the text of the query does not matter. Metadata filters and the sensitivity ceiling
hold as in a search. A note that the index does not have is named in a notice.`,
  takes: 'Query',
  gives: 'Hit',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['reads'],
  needs: ['store'],
  create: () => ({
    async run({ notes = [], filter }: Query, ctx): Promise<readonly Hit[]> {
      const store = await ctx.use('store');
      const hits: Hit[] = [];
      const missing: string[] = [];
      for (const path of new Set(notes)) {
        const chunks = await store.chunksOf(path);
        if (chunks.length === 0) missing.push(path);
        for (const { id, section, text, lines, meta } of chunks) {
          if (!matchesFilter(path, meta, filter)) continue;
          const place = { chunkId: id, path, section, text, lines, meta, bm25Rank: null, vecRank: null };
          // Falling, so that whatever sorts by score keeps the order asked for.
          hits.push({ ...place, score: 1 / (hits.length + 1) });
        }
      }
      if (missing.length > 0)
        ctx.notice(
          'unknown-notes',
          `Not in the index: ${missing.join(', ')}. Check the paths, or run \`pipeline index\`.`,
        );
      return hits;
    },
  }),
});
