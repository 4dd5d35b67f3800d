/** Puts notes into the index: each one whole or not at all, many to a transaction. */
import { z } from 'zod';
import { PipelineError } from '../../runner/errors.js';
import type { IndexedNote } from '../../runner/items.js';
import { defineStage, drop } from '../../runner/stage.js';
import type { ChunkStore, VectorSpace } from '../../store/types.js';

export const writeIndex = defineStage({
  name: 'write-index',
  summary: 'Writes, moves and removes notes in the index.',
  docs:
    'The notes of a batch become visible together; readers see the old state or the new one. After a kill the index holds ' +
    'whole batches, and the next run does the rest.',
  takes: 'IndexedNote',
  gives: 'nothing',
  mode: 'batch',
  batchSize: ({ batch }) => batch,
  config: z.strictObject({
    batch: z.number().int().min(1).max(1000).default(64).describe('Notes a transaction.'),
  }),
  effects: ['writes'],
  needs: ['store', 'embedder'],
  create: () => ({
    async run(notes, ctx) {
      if (ctx.dryRun) return notes.map((note) => drop(`would-write-${note.file.change}`, note.file.path));
      const store = await ctx.use('store');
      const space = notes.some((note) => note.chunks.length > 0) ? await spaceOf(() => ctx.use('embedder')) : undefined;
      await store.transaction(async () => {
        for (const note of notes) await apply(store, note, space);
      });
      for (const note of notes) if (note.file.change !== 'touched') ctx.written();
      return notes.map((note) => (note.file.change === 'touched' ? drop('touched') : []));
    },
  }),
});

async function spaceOf(
  embedder: () => Promise<{ fingerprint: string; id: string; dimensions: number }>,
): Promise<VectorSpace | undefined> {
  try {
    const { fingerprint, id, dimensions } = await embedder();
    return { fingerprint, model: id, dimensions };
  } catch (error) {
    if (error instanceof PipelineError) return undefined;
    throw error;
  }
}

async function apply(store: ChunkStore, note: IndexedNote, space: VectorSpace | undefined): Promise<void> {
  const { path, stat, change, previousPath } = note.file;
  switch (change) {
    case 'deleted':
      return store.removeNote(path);
    case 'renamed':
      return store.renameNote(previousPath ?? path, path, stat);
    case 'touched':
      return store.touchNote(path, stat);
    default:
      return store.putNote(note, space);
  }
}
