/** Shows near-identical chunks once: the best one, which names the others. */
import { z } from 'zod';
import { groupAlike, wordSet } from '../../lib/ranking/near-identical.js';
import type { Hit, Item } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  likeness: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.9)
    .describe('Share of common words from which two chunks are the same to a reader.'),
});

export const collapseSimilar = defineStage({
  name: 'collapse-similar',
  summary: 'Keeps the best of near-identical chunks and lists the others with it.',
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['none'],
  needs: [],
  create: ({ likeness }) => ({
    run(items: readonly Item<'Hit'>[], ctx): readonly Hit[] {
      const hits = items.map((item) => item.data);
      const leaders = groupAlike(
        hits.map((hit) => wordSet(hit.text)),
        likeness,
      );
      const copies = hits.filter((_, i) => leaders[i] !== i).length;
      if (copies > 0) ctx.report('collapsed', copies);
      return hits.flatMap((hit, i) => {
        if (leaders[i] !== i) return [];
        const similar = hits.filter((_, j) => j !== i && leaders[j] === i);
        if (similar.length === 0) return [hit];
        return [{ ...hit, similar: similar.map(({ path, section, lines }) => ({ path, section, lines })) }];
      });
    },
  }),
});
