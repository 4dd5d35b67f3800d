/** The embedder interface: chunk side and query side share one object, so their vectors cannot differ. */

export type EmbedKind = 'query' | 'document';

export interface Embedder {
  /** Model name as in config/models.yaml. */
  readonly id: string;
  readonly dimensions: number;
  /** Hash over model, dimensions and prompt format: vectors of two fingerprints are never compared. */
  readonly fingerprint: string;
  /** Texts cut at the model's token limit since it was opened; absent for models without a limit. */
  readonly truncated?: number;
  /** Brings `id`, `dimensions` and `fingerprint` up to the index as it is now; a long-lived caller asks before each query. */
  settle?(): Promise<void>;
  /** L2-normalised vectors, one per text, in order. A text with nothing to embed gives a zero vector. */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

declare module '../../../runner/resources.js' {
  interface ResourceTypes {
    /** Using it rejects with `PipelineError` (`no-model`) when no model is available; the message says why. */
    embedder: Embedder;
  }
}
