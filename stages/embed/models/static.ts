/** Static embeddings: a text's vector is the normalised sum of its tokens' rows. No native code, ready in milliseconds. */
import { createHash } from 'node:crypto';
import { spaceFingerprint } from '../../../lib/embedding/fingerprint.js';
import { readStaticTable, type StaticTable } from '../../../lib/embedding/static-table.js';
import { normaliseVector } from '../../../lib/embedding/vector.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import type { Embedder } from './types.js';

/** Token ids of a text, without special tokens. The array may be reused by the next call. */
export type Encode = (text: string) => ArrayLike<number>;

/** Texts embedded before the signal is looked at again: a few milliseconds of work. */
const SLICE = 256;

/**
 * An embedder over a table that is already in memory.
 * @param version anything that changes when the table's bytes do; part of the fingerprint.
 * @param encode how texts become token ids; default: BERT's WordPiece over the table's vocabulary.
 */
export function createStaticEmbedder(id: string, table: StaticTable, version: string, encode?: Encode): Embedder {
  const { dimensions, rows, scales, vocabulary } = table;
  // The lookup of 42,522 tokens is made by the first text: opening only to ask for the fingerprint does not pay for it.
  let tokens = encode;

  const embedOne = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    tokens ??= createWordPiece(vocabulary).encode;
    const ids = tokens(text);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const scale = scales[id] as number;
      for (let d = 0, at = id * dimensions; d < dimensions; d++, at++) {
        vector[d] = (vector[d] as number) + scale * (rows[at] as number);
      }
    }
    return normaliseVector(vector);
  };

  return {
    id,
    dimensions,
    fingerprint: spaceFingerprint({ id, dimensions, version }),
    // Static vectors have no prompt: a query is embedded like a document.
    async embed(texts, _kind, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += SLICE) {
        signal?.throwIfAborted();
        for (const text of texts.slice(at, at + SLICE)) vectors.push(embedOne(text));
      }
      return vectors;
    },
  };
}

/**
 * Opens a table file's bytes. The fingerprint follows vocabulary and row scales: training again changes every scale, and
 * hashing these 0.6 MB instead of the 11 MB takes a tenth of the time. `doctor` compares the whole file's checksum.
 */
export function openStaticEmbedder(id: string, file: Uint8Array, path: string): Embedder {
  const table = readStaticTable(file, path);
  const version = createHash('sha256')
    .update(table.vocabulary.join('\n'))
    .update(new Uint8Array(table.scales.buffer, table.scales.byteOffset, table.scales.byteLength))
    .digest('hex');
  return createStaticEmbedder(id, table, version);
}
