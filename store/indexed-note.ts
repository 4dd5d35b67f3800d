/** A note as it was put into a store, made of what the store says of it. */
import type { IndexedNote } from '../runner/items.js';
import type { ChunkRecord, LinkRecord, NoteRecord } from './types.js';

/** @param vectorOf the chunk's vector, or undefined to let the store find one by the chunk's hash. */
export function indexedNote(
  { path, stat, hash, recipe, meta }: NoteRecord,
  chunks: readonly ChunkRecord[],
  links: readonly LinkRecord[],
  vectorOf: (chunk: ChunkRecord) => Float32Array | undefined,
): IndexedNote {
  return {
    file: { path, stat, change: 'changed', hash, ...(recipe === undefined ? {} : { recipe }) },
    meta,
    chunks: chunks.map((chunk) => {
      const { index, section, headingContext, text, lines, hash: own } = chunk;
      const vector = vectorOf(chunk);
      return { index, section, headingContext, text, lines, hash: own, ...(vector ? { vector } : {}) };
    }),
    links,
  };
}
