/** Gives every note its sensitivity class, which the store's filters hold against each surface's ceiling. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';

export const classify = defineStage({
  name: 'classify',
  summary: "Sets a note's sensitivity from its folder and its frontmatter, whichever is stricter.",
  docs: 'Classes by path stand under `sensitivity.paths` in the settings; see `docs/secrets.md`.',
  takes: 'IndexedNote',
  gives: 'IndexedNote',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['none'],
  needs: ['classifier'],
  create: () => ({
    async run(note, ctx) {
      const classifier = await ctx.use('classifier');
      const sensitivity = classifier.classOf(note.file.path, note.meta.sensitivity);
      return sensitivity === note.meta.sensitivity ? note : { ...note, meta: { ...note.meta, sensitivity } };
    },
  }),
});
