/** Reads every configured feed: politely, a few at a time, in order, one broken feed never stopping the others. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';
import { mapOrdered } from '../../runner/window.js';

export const feeds = defineStage({
  name: 'feeds',
  summary: 'Reads the configured RSS, Atom, RDF, CDF and JSON feeds.',
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
    ahead: z.number().int().min(1).max(32).default(4).describe('Feeds fetched at a time.'),
    only: z.array(z.string()).default([]).describe('Names of the sources to read; empty reads all.'),
  }),
  effects: ['network'],
  needs: ['http', 'ledger', 'sources', 'urlCleaner'],
  create: async ({ from, ahead, only }) => {
    const { readSource } = await import('./feed-reader.js');
    return {
      async *run(ctx) {
        const all = await (await ctx.use('sources')).list(from);
        const wanted = all.filter(
          ({ kind, enabled, name }) => kind === 'feed' && enabled && (only.length === 0 || only.includes(name)),
        );
        for await (const articles of mapOrdered(each(wanted), ahead, (source) => readSource(source, ctx))) {
          for (const data of articles) yield { data };
        }
      },
    };
  },
});

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}
