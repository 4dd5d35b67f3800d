/** Gives the query its vector, made by the model that made the index's vectors. */
import { z } from 'zod';
import { queryVector } from '../../lib/query/query-vector.js';
import { PipelineError } from '../../runner/errors.js';
import type { Query } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';

export const embedQuery = defineStage({
  name: 'embed-query',
  summary: 'Turns the question into a vector.',
  docs: `Fails when the index has no vectors or was made with another model; in an optional branch search then goes on
with keywords, and says so.`,
  takes: 'Query',
  gives: 'Query',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['reads'],
  needs: ['store', 'embedder'],
  create: () => ({
    async run(query: Query, ctx): Promise<Query | Drop> {
      const store = await ctx.use('store');
      if (!store.capabilities.vector) {
        throw new PipelineError(
          'vector-missing',
          store.capabilities.vectorReason ?? 'There is no vector search here.',
          {
            remedy: 'Run `pipeline doctor`.',
          },
        );
      }
      const space = await store.activeSpace();
      if (!space) {
        throw new PipelineError('no-vectors', 'The index holds no vectors yet.', {
          remedy: 'Run `pipeline index` with an embedding model.',
        });
      }
      const embedder = await ctx.use('embedder');
      // The index may have changed to another model since this process started.
      await embedder.settle?.();
      if (space.fingerprint !== embedder.fingerprint) {
        throw new PipelineError(
          'vector-mismatch',
          `The index holds vectors of ${space.model}; the configured model is ${embedder.id}.`,
          { remedy: 'Run `pipeline index` to embed the notes with the configured model.' },
        );
      }
      const vector = await queryVector(query, embedder, ctx.signal);
      if (!vector) return drop('nothing-to-embed');
      return { ...query, vector, fingerprint: embedder.fingerprint };
    },
  }),
});
