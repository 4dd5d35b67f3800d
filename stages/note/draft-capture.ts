/** Turns a captured text into a note draft. */
import { z } from 'zod';
import { captureNote } from '../../lib/note/capture-note.js';
import { defineStage } from '../../runner/stage.js';

export const draftCapture = defineStage({
  name: 'draft-capture',
  summary: 'Drafts a note from a captured text; the same text gives the same note.',
  takes: 'Article',
  gives: 'Draft',
  mode: 'each',
  config: z.strictObject({
    domain: z.string().default('other').describe('Domain of the note.'),
    by: z.string().optional().describe('Agent that wrote the text; marks the note as unreviewed.'),
  }),
  effects: ['none'],
  needs: [],
  create: ({ domain, by }) => ({ run: (article) => captureNote(article, domain, by) }),
});
