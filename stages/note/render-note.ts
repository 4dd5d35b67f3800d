/** Makes the note of a scored article: frontmatter, extractive summary, key points, source. */
import { z } from 'zod';
import { signalNote } from '../../lib/note/signal-note.js';
import { defineStage } from '../../runner/stage.js';

export const renderNote = defineStage({
  name: 'render-note',
  summary: 'Renders a signal as a note with summary, key points, source and scores.',
  docs: `Deterministic: the same signal gives the same bytes. The summary is extractive, whole sentences of the text in its
own language. Whole copied articles dilute a vault, so the full text is off by default.`,
  takes: 'Signal',
  gives: 'Draft',
  mode: 'each',
  config: z.strictObject({
    template: z.enum(['signal']).default('signal').describe('Shape of the note.'),
    body: z.enum(['summary', 'full']).default('summary').describe('`full` adds the whole text of the article.'),
    sentences: z.number().int().min(1).max(20).default(3).describe('Sentences in the summary.'),
    points: z.number().int().min(0).max(20).default(5).describe('Key points.'),
    evidence: z.number().int().min(0).max(20).default(4).describe('Cues shown for each dimension, strongest first.'),
  }),
  effects: ['none'],
  needs: [],
  create: ({ template: _only, ...options }) => ({
    run: (signal) => signalNote(signal, options),
  }),
});
