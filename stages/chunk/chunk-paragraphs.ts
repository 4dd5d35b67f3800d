/** Cuts notes into chunks of whole paragraphs, as the team knowledge base does. */
import { z } from 'zod';
import { chunkByParagraphs } from '../../lib/chunk/chunk.js';
import { defineStage } from '../../runner/stage.js';
import { cutWith } from './cutter.js';

export const chunkParagraphs = defineStage({
  name: 'chunk-paragraphs',
  summary: 'Packs whole paragraphs into chunks up to a size, without overlap.',
  docs: 'Headings do not start a chunk; they give it its section name. A paragraph above `max` is cut at sentences.',
  takes: 'VaultFile',
  gives: 'IndexedNote',
  mode: 'each',
  config: z.strictObject({
    min: z
      .number()
      .int()
      .min(0)
      .default(1)
      .describe('Shorter pieces join their neighbour; a shorter note has no chunk.'),
    max: z.number().int().min(100).default(1500).describe('Characters a chunk may hold.'),
  }),
  effects: ['none'],
  needs: [],
  create: (limits) => cutWith((...parts) => chunkByParagraphs(...parts, limits)),
});
