/** The one shape every feed format is read into. */
import type { PipelineError } from '../../runner/errors.js';

export type FeedFormat = 'rss' | 'rdf' | 'atom' | 'json' | 'cdf';

export interface FeedInfo {
  /** Plain text. */
  readonly title?: string;
  /** The site the feed belongs to, absolute where a base is known. */
  readonly url?: string;
  /** With version where the feed states one: `rss 2.0`, `atom 1.0`, `json 1.1`. */
  readonly format: string;
  /** What the bytes were decoded as, lower case. */
  readonly encoding: string;
  /** True when the document was damaged and the items around the damage were recovered. */
  readonly repaired: boolean;
  /** What was wrong, one short line a kind of damage. */
  readonly repairs: readonly string[];
  readonly language?: string;
}

/** A file that travels with an item: podcast audio, a picture, a PDF. */
export interface Enclosure {
  readonly url: string;
  readonly type?: string;
  /** Bytes. */
  readonly length?: number;
}

export interface FeedItem {
  /** The feed's own identifier as written; often a URL, sometimes nonsense. */
  readonly id?: string;
  /** Absolute where a base is known. */
  readonly url?: string;
  /** Plain text. */
  readonly title?: string;
  /** ISO 8601 UTC; absent when the feed gives no believable date. */
  readonly published?: string;
  readonly updated?: string;
  readonly author?: string;
  /** Sanitised HTML with absolute links. */
  readonly summary?: string;
  /** Sanitised HTML with absolute links. */
  readonly content?: string;
  readonly tags: readonly string[];
  readonly language?: string;
  readonly enclosures: readonly Enclosure[];
}

export interface Feed {
  readonly feed: FeedInfo;
  readonly items: readonly FeedItem[];
}

/** What is known about a feed's bytes besides the bytes. */
export interface FeedContext {
  /** Where it came from, after redirects: base of relative links. A file path is not a base. */
  readonly url?: string | undefined;
  /** The HTTP Content-Type header. */
  readonly contentType?: string | undefined;
  /** Milliseconds since the epoch: a date more than a day after it is not believed. */
  readonly now: number;
}

/** A feed that could not be read: `error` says why and what to do; never an empty success. */
export type FeedResult = Feed | { readonly error: PipelineError };
