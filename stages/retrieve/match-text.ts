/** The keyword leg: BM25 over text, section, heading context and path. */
import { z } from 'zod';
import { parseQuery } from '../../lib/query/parse.js';
import { PipelineError } from '../../runner/errors.js';
import type { Hit, Query } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const weight = z.number().min(0);

const config = z.strictObject({
  top: z.number().int().min(1).max(1000).default(30).describe('How many chunks to find.'),
  weights: z
    .tuple([weight, weight, weight])
    .default([1.0, 0.5, 0.3])
    .describe('What a word counts in the text, in the section heading, and in title, tags and path.'),
});

export const matchText = defineStage({
  name: 'match-text',
  summary: 'Finds chunks by keywords, best BM25 first.',
  docs: `Any text is a valid query. \`"a phrase"\` must stand as it is, \`-word\` must not occur, identifiers such as
\`DEC-0054\` or \`src/main.py\` match as adjacent words; everything else is a word that helps. Metadata filters apply
before ranking.`,
  takes: 'Query',
  gives: 'Hit',
  mode: 'each',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: ({ top, weights }) => ({
    async run(query: Query, ctx): Promise<readonly Hit[]> {
      const store = await ctx.use('store');
      if (!store.capabilities.text) {
        throw new PipelineError('no-text-index', store.capabilities.textReason ?? 'There is no keyword index.', {
          remedy: 'Run `pipeline doctor`.',
        });
      }
      const parsed = parseQuery(query.text, { prefix: query.prefix ?? false, stemmer: await store.stemmer?.() });
      if (parsed.wanted.length === 0) {
        ctx.notice(
          'nothing-wanted',
          parsed.excluded.length > 0
            ? 'The query only excludes. Add a word to look for.'
            : 'The query holds no word to look for.',
        );
        return [];
      }
      return store.matchText(parsed, { top, weights, filter: query.filter, signal: ctx.signal });
    },
  }),
});
