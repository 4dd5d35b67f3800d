/** Ends an index run: what was written is put in order, a finished vector space goes into use. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';

export const finishIndex = defineStage({
  name: 'finish-index',
  summary: 'Housekeeping after an index run; gives nothing.',
  docs: 'Stands last: as a source it runs when everything before it is done. Costs nothing when nothing was written.',
  takes: 'nothing',
  gives: 'nothing',
  mode: 'source',
  config: z.strictObject({}),
  effects: ['writes'],
  needs: ['store'],
  create: () => ({
    // biome-ignore lint/correctness/useYield: a source that gives nothing
    async *run(ctx) {
      if (ctx.dryRun) return;
      const store = await ctx.use('store');
      await store.optimize();
      await store.setMeta('last-run', new Date(ctx.now()).toISOString());
      ctx.report('index', await store.counts());
    },
  }),
});
