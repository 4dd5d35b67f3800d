/**
 * The embedder of one vault follows its index: while another model's vectors are still being made, texts are embedded by
 * the model whose vectors answer queries, so that one query never meets two models and no note drops out meanwhile.
 */

import { type OpenOptions, openEmbedder } from '../../stages/embed/models/open.js';
import type { Embedder } from '../../stages/embed/models/types.js';
import type { ChunkStore, VectorSpace } from '../../store/types.js';

/**
 * Opens the configured model, or the one the index holds when that is another model still in use.
 * @param store where to ask for the active space; a store that cannot be opened counts as an empty index.
 * @throws {PipelineError} as `openEmbedder` does for the configured model.
 */
export async function openFollowingEmbedder(
  configured: string,
  options: OpenOptions,
  store: () => Promise<ChunkStore>,
  open: (id: string, options: OpenOptions) => Promise<Embedder> | Embedder = openEmbedder,
): Promise<Embedder> {
  const opened = new Map<string, Embedder>();
  const model = async (id: string): Promise<Embedder> => {
    const known = opened.get(id) ?? (await open(id, options));
    opened.set(id, known);
    return known;
  };
  const choose = async (): Promise<Embedder> => {
    const space = await activeSpace(store);
    if (!space || space.model === configured) return model(configured);
    const inUse = await model(space.model).catch(() => undefined);
    // A model that is gone or has changed cannot answer for its vectors: the configured one takes over at once.
    return inUse?.fingerprint === space.fingerprint ? inUse : model(configured);
  };

  let current = await choose();
  return {
    get id() {
      return current.id;
    },
    get dimensions() {
      return current.dimensions;
    },
    get fingerprint() {
      return current.fingerprint;
    },
    get truncated() {
      return current.truncated ?? 0;
    },
    async settle() {
      current = await choose();
    },
    embed: (texts, kind, signal) => current.embed(texts, kind, signal),
    async close() {
      for (const embedder of opened.values()) await embedder.close?.();
    },
  };
}

async function activeSpace(store: () => Promise<ChunkStore>): Promise<VectorSpace | undefined> {
  try {
    return await (await store()).activeSpace();
  } catch {
    // No index yet: whoever needs it reports that; here it only means that no vectors bind us.
    return undefined;
  }
}
