/** Moves old notes down a little: of two equal answers the fresh one comes first. */
import { z } from 'zod';
import { isStale } from '../../lib/ranking/stale.js';
import type { Hit, Item } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';
import { duration } from '../../runner/values.js';

const config = z.strictObject({
  after: duration().prefault('6 months').describe('Age from which a note counts as old.'),
  penalty: z
    .number()
    .min(0)
    .default(0.05)
    .describe('With `by: score` taken from the score, with `by: rank` ranks lost.'),
  by: z.enum(['score', 'rank']).default('score').describe('`score` after rescore (0..1), `rank` after fuse alone.'),
});

export const demoteStale = defineStage({
  name: 'demote-stale',
  summary: 'Takes a little off the score of notes that have not changed for long.',
  docs: `Age counts from the note's \`updated\`, else \`created\` date, which follow its content and never the indexing
run; a note without a date is not demoted. Applied after the candidates are found, so the index is used in full.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['none'],
  needs: [],
  create: ({ after, penalty, by }) => ({
    run(items: readonly Item<'Hit'>[], ctx): readonly Hit[] {
      const oldest = new Date(ctx.now() - after).toISOString().slice(0, 10);
      const ranked = items.map(({ data: hit }, i) => {
        const stale = isStale(hit.meta, oldest);
        const demoted = { ...hit, explain: { ...hit.explain, stale: by === 'score' ? -penalty : `${penalty} ranks` } };
        if (by === 'rank') return { key: -i - (stale ? penalty + 0.5 : 0), hit: stale ? demoted : hit };
        const score = stale ? hit.score - penalty : hit.score;
        return { key: score, hit: stale ? { ...demoted, score } : hit };
      });
      return ranked.sort((a, b) => b.key - a.key).map(({ hit }) => hit);
    },
  }),
});
