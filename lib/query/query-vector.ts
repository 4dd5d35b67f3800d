/** One vector for one query: several stages need it, and with a transformer it costs tens of milliseconds. */
import type { Query } from '../../runner/items.js';

/** The part of an embedder this needs. */
interface QueryEmbedder {
  readonly dimensions: number;
  readonly fingerprint: string;
  embed(texts: readonly string[], kind: 'query', signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

const vectors = new WeakMap<Query, { readonly fingerprint: string; readonly vector: Promise<Float32Array> }>();

/**
 * The query's vector: the one it carries, or one made now and kept as long as the query object lives. Zero-length
 * (nothing in it to embed) gives undefined.
 */
export async function queryVector(
  query: Query,
  embedder: QueryEmbedder,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  if (query.vector && query.fingerprint === embedder.fingerprint) return nonZero(query.vector);
  const known = vectors.get(query);
  if (known?.fingerprint === embedder.fingerprint) return nonZero(await known.vector);
  const vector = embedder
    .embed([query.text.normalize('NFC')], 'query', signal)
    .then(([first]) => first ?? new Float32Array(embedder.dimensions));
  vectors.set(query, { fingerprint: embedder.fingerprint, vector });
  vector.catch(() => vectors.delete(query));
  return nonZero(await vector);
}

function nonZero(vector: Float32Array): Float32Array | undefined {
  return vector.some((x) => x !== 0) ? vector : undefined;
}
