/** The last step of `context`: hits become one attributed block. */
import { z } from 'zod';
import { assembleContext as assemble } from '../../lib/answer/context-block.js';
import type { Context, Item, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

export const assembleContext = defineStage({
  name: 'assemble-context',
  summary: 'Assembles hits into one attributed, deduplicated block inside the token budget.',
  takes: 'Hit',
  gives: 'Context',
  mode: 'all',
  config: z.strictObject({
    'max-tokens': z.number().int().min(1).default(2000).describe('Size of the block, unless the query names its own.'),
    format: z.enum(['markdown', 'xml', 'text']).default('markdown').describe('How the block is written.'),
    order: z.enum(['rank', 'path']).default('rank').describe('Order of the notes in it.'),
  }),
  effects: ['none'],
  needs: [],
  create: (settings) => ({
    run(items: readonly Item<'Hit'>[], ctx): readonly Context[] {
      const query = ctx.input?.data as Partial<Query> | undefined;
      const hits = items.map((item) => item.data);
      const { 'max-tokens': maxTokens, format, order } = settings;
      return [assemble(query?.text ?? '', hits, query?.maxTokens ?? maxTokens, format, order)];
    },
  }),
});
