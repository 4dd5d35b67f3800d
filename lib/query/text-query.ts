/** A keyword query as a tree of terms, phrases and exclusions; each store compiles it to its own index's language. */

/** One wanted or excluded unit. */
export interface TextTerm {
  /** Words that must stand next to each other, in order; one word for a plain term. Lower case, NFC. */
  readonly words: readonly string[];
  /** The last word may continue. */
  readonly prefix: boolean;
  /** As the user typed it, for `--explain`. */
  readonly source: string;
  /** `phrase`: quoted by the user and therefore required; `identifier`: required adjacency but not required to match; `word`: plain. */
  readonly kind: 'word' | 'phrase' | 'identifier' | 'cjk';
  /** Relative weight among the wanted terms; 1 for a plain word. */
  readonly weight: number;
}

export interface TextQuery {
  readonly wanted: readonly TextTerm[];
  readonly excluded: readonly TextTerm[];
  /** NFC text as asked. */
  readonly source: string;
}
