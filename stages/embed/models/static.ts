/** Static embeddings: a text's vector is the normalised sum of its tokens' rows. No native code, ready in milliseconds. */
import { createHash } from 'node:crypto';
import type { ByteSource } from '../../../lib/embedding/byte-source.js';
import { spaceFingerprint } from '../../../lib/embedding/fingerprint.js';
import { readStaticTable, type TokenRows } from '../../../lib/embedding/static-table.js';
import { normaliseVector } from '../../../lib/embedding/vector.js';
import { vocabularyFromBytes } from '../../../lib/embedding/vocabulary.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import type { Embedder } from './types.js';

/** Token ids of a text, without special tokens. The array may be reused by the next call. */
export type Encode = (text: string) => ArrayLike<number>;

/** Texts embedded before the signal is looked at again: a few milliseconds of work. */
const SLICE = 256;

/**
 * An embedder over a table of rows. Documents read the whole table; a question reads its dozen rows, so that a process
 * that answers one question does not wait for 11 MB.
 * @param version anything that changes when the table's bytes do; part of the fingerprint.
 * @param encode how texts become token ids; made at the first text: opening only to ask for the fingerprint is cheap.
 */
export function createStaticEmbedder(id: string, table: TokenRows, version: string, encode: () => Encode): Embedder {
  const { dimensions, scales } = table;
  let tokens: Encode | undefined;

  const embedOne = (text: string, all: Int8Array | undefined): Float32Array => {
    const vector = new Float32Array(dimensions);
    tokens ??= encode();
    const ids = tokens(text);
    for (let i = 0; i < ids.length; i++) {
      const token = ids[i] as number;
      const scale = scales[token] as number;
      const rows = all ?? table.one(token);
      for (let d = 0, at = all ? token * dimensions : 0; d < dimensions; d++, at++) {
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
    async embed(texts, kind, signal) {
      const all = kind === 'document' ? table.all() : undefined;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += SLICE) {
        signal?.throwIfAborted();
        for (const text of texts.slice(at, at + SLICE)) vectors.push(embedOne(text, all));
      }
      return vectors;
    },
    async close() {
      table.close();
    },
  };
}

/**
 * Opens a table. The fingerprint follows vocabulary and row scales: training again changes every scale, and hashing
 * these 0.6 MB instead of the 11 MB takes a tenth of the time.
 * @param path for errors.
 */
export function openStaticEmbedder(id: string, file: ByteSource, path: string): Embedder {
  const table = readStaticTable(file, path);
  const { scales, vocabulary } = table;
  const version = createHash('sha256')
    .update(vocabulary)
    .update(new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength))
    .digest('hex');
  return createStaticEmbedder(id, table, version, () => createWordPiece(vocabularyFromBytes(vocabulary)).encode);
}
