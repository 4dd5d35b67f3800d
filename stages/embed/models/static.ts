/** Static embeddings: a text's vector is the normalised sum of its tokens' rows. No native code, ready in milliseconds. */
import { createHash } from 'node:crypto';
import { readStaticTable, type StaticTable } from '../../../lib/embedding/static-table.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import type { Embedder } from './types.js';

/**
 * An embedder over a table that is already in memory.
 * @param version anything that changes when the table's bytes do; part of the fingerprint.
 */
export function createStaticEmbedder(id: string, table: StaticTable, version: string): Embedder {
  const { dimensions, rows, scales, vocabulary } = table;
  const wordpiece = createWordPiece(vocabulary);
  const fingerprint = createHash('sha256').update(`${id}\n${dimensions}\n${version}\nplain`).digest('hex').slice(0, 16);

  const embedOne = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    const ids = wordpiece.encode(text);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const scale = scales[id] as number;
      for (let d = 0, at = id * dimensions; d < dimensions; d++, at++) {
        vector[d] = (vector[d] as number) + scale * (rows[at] as number);
      }
    }
    let square = 0;
    for (let d = 0; d < dimensions; d++) square += (vector[d] as number) ** 2;
    if (square > 0) {
      const factor = 1 / Math.sqrt(square);
      for (let d = 0; d < dimensions; d++) vector[d] = (vector[d] as number) * factor;
    }
    return vector;
  };

  return {
    id,
    dimensions,
    fingerprint,
    // Static vectors have no prompt: a query is embedded like a document.
    embed: async (texts) => texts.map(embedOne),
  };
}

/** Opens a table file's bytes; the fingerprint follows the bytes. */
export function openStaticEmbedder(id: string, file: Uint8Array, path: string): Embedder {
  const version = createHash('sha256').update(file).digest('hex');
  return createStaticEmbedder(id, readStaticTable(file, path), version);
}
