/** A keyword query as a list of terms, phrases and exclusions; each store compiles it to its own index's language. */

import type { Stemmer } from './stemmer.js';

/** One wanted or excluded unit. */
export interface TextTerm {
  /** Words that must stand next to each other, in order; one word for a plain term. Folded as by `words()`. */
  readonly words: readonly string[];
  /** The last word may continue. */
  readonly prefix: boolean;
  /** As the user typed it, for `--explain`. */
  readonly source: string;
  /**
   * `phrase`: quoted by the user and therefore required; `identifier`: its words must be adjacent, but the term is not
   * required to match; `cjk`: pairs of characters of a script without spaces, adjacent; `word`: plain.
   */
  readonly kind: 'word' | 'phrase' | 'identifier' | 'cjk';
  /** How often the query says it: a word said twice matters twice. */
  readonly weight: number;
}

export interface TextQuery {
  readonly wanted: readonly TextTerm[];
  readonly excluded: readonly TextTerm[];
  /** Every word asked for, in order, stop words included: what ranking by proximity needs. */
  readonly words: readonly string[];
  /** NFC text as asked. */
  readonly source: string;
  /** How the index it is asked of stems words. */
  readonly stemmer: Stemmer;
}
