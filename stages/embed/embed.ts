/** Gives chunks their vectors: only chunks whose text the index has no vector for are embedded. */
import { z } from 'zod';
import { embeddingText } from '../../lib/chunk/chunk.js';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { Chunk, IndexedNote } from '../../runner/items.js';
import { defineStage, type StageContext } from '../../runner/stage.js';
import type { Embedder } from './models/types.js';

type Context = StageContext<'embedder' | 'store' | 'indexSettings'>;

export const embed = defineStage({
  name: 'embed',
  summary: 'Embeds the chunks that are new or changed.',
  docs:
    'Vectors are known by the hash of the embedded text, so an edit embeds only the sections it touched. Without a model, ' +
    'or when it fails, notes go on without vectors and a notice says so; a later run embeds them.',
  takes: 'IndexedNote',
  gives: 'IndexedNote',
  mode: 'batch',
  batchSize: ({ notes }) => notes,
  config: z.strictObject({
    notes: z.number().int().min(1).max(1000).default(32).describe('Notes whose chunks are embedded together.'),
  }),
  effects: ['reads'],
  needs: ['embedder', 'store', 'indexSettings'],
  create: () => ({
    async run(notes, ctx) {
      if (notes.every((note) => note.chunks.length === 0)) return notes;
      const store = await ctx.use('store');
      const embedder = store.capabilities.vector ? await availableEmbedder(ctx) : undefined;
      if (!embedder) return notes;
      const chunks = notes.flatMap((note) => note.chunks);
      const space = { fingerprint: embedder.fingerprint, model: embedder.id, dimensions: embedder.dimensions };
      const known = await store.knownVectors(
        chunks.map((chunk) => chunk.hash),
        space,
      );
      const texts = new Map<string, string>();
      for (const { meta, chunks } of notes)
        for (const { hash, section, text } of chunks)
          if (!known.has(hash)) texts.set(hash, embeddingText(meta, section, text));
      const vectors = await embedAll(texts, embedder, ctx);
      return vectors ? notes.map((note) => withVectors(note, vectors)) : notes;
    },
  }),
});

async function availableEmbedder(ctx: Context): Promise<Embedder | undefined> {
  try {
    return await ctx.use('embedder');
  } catch (error) {
    ctx.notice('no-model', `${messageOf(error)} Notes are indexed for keyword search only.`);
    return undefined;
  }
}

/** Hash -> vector; undefined when the model failed, which is no reason to lose the notes. */
async function embedAll(
  texts: ReadonlyMap<string, string>,
  embedder: Embedder,
  ctx: Context,
): Promise<ReadonlyMap<string, Float32Array> | undefined> {
  const { embedBatch } = await ctx.use('indexSettings');
  const entries = [...texts];
  const vectors = new Map<string, Float32Array>();
  try {
    for (let at = 0; at < entries.length; at += embedBatch) {
      const slice = entries.slice(at, at + embedBatch);
      const made = await embedder.embed(
        slice.map(([, text]) => text),
        'document',
        ctx.signal,
      );
      for (const [i, [hash]] of slice.entries()) {
        const vector = made[i];
        if (vector) vectors.set(hash, vector);
      }
    }
  } catch (error) {
    // A server that is down or refuses stays so: the run stops with what was done kept, instead of asking again per batch.
    if (ctx.signal.aborted || (error instanceof PipelineError && error.fatal)) throw error;
    ctx.notice(
      'embed-failed',
      `The model ${embedder.id} failed: ${messageOf(error)}. These notes wait for the next run.`,
    );
    return undefined;
  }
  return vectors;
}

function withVectors(note: IndexedNote, vectors: ReadonlyMap<string, Float32Array>): IndexedNote {
  const chunks = note.chunks.map((chunk): Chunk => {
    const vector = vectors.get(chunk.hash);
    return vector ? { ...chunk, vector } : chunk;
  });
  return { ...note, chunks };
}
