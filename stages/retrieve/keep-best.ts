/** Leaves out what is far behind the best result: a block of notes is read in every prompt and should hold no filling. */
import { z } from 'zod';
import type { Hit, Item } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

export const keepBest = defineStage({
  name: 'keep-best',
  summary: 'Leaves out results whose score is a small share of the best one.',
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config: z.strictObject({
    share: z.number().min(0).max(1).default(0.5).describe('Least score, as a share of the best.'),
  }),
  effects: ['none'],
  needs: [],
  create: ({ share }) => ({
    run(items: readonly Item<'Hit'>[]): readonly Hit[] {
      const hits = items.map((item) => item.data);
      const best = Math.max(0, ...hits.map((hit) => hit.score));
      return hits.filter((hit) => hit.score >= share * best);
    },
  }),
});
