/** Cuts notes into chunks at their H2 sections. */
import { z } from 'zod';
import { chunkByHeadings } from '../../lib/chunk/chunk.js';
import { defineStage } from '../../runner/stage.js';
import { cutWith } from './cutter.js';

export const chunkHeadings = defineStage({
  name: 'chunk-headings',
  summary: 'Cuts a note into one chunk a section, and reads its metadata and links.',
  docs:
    'Sections begin at H2; the text before the first one is a chunk. A section above `max` is cut at its H3s, then between ' +
    'paragraphs. Code, tables, math, callouts, footnotes and comments are never cut, lists only between items. Kanban and ' +
    'Excalidraw files are listed without chunks.',
  takes: 'VaultFile',
  gives: 'IndexedNote',
  mode: 'each',
  config: z.strictObject({
    min: z
      .number()
      .int()
      .min(0)
      .default(30)
      .describe('Shorter pieces join their neighbour; a shorter note has no chunk.'),
    max: z.number().int().min(100).default(2000).describe('Longer sections are cut further. Characters.'),
  }),
  effects: ['none'],
  needs: [],
  create: (limits) => cutWith((...parts) => chunkByHeadings(...parts, limits)),
});
