/** The scrubber's interface: one object made from patterns, used by every surface. */

/** A credential found; never holds the value. Offsets are UTF-16 code units in the input. */
export interface Finding {
  readonly pattern: string;
  /** 1-based. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface Scrubbed {
  /** Input with each credential replaced by `[REDACTED:name]`; line count is unchanged. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

export interface Scrubber {
  /** Fingerprint of the pattern set: cached results of another set are stale. */
  readonly fingerprint: string;
  /** Linear in the length of `text`. Idempotent: scrubbing the result changes nothing. */
  scrub(text: string): Scrubbed;
  /**
   * Scrubs every string inside a JSON-like value, keys included; other values pass through. A string under a key that
   * names a secret (`api_key`) is judged with its key. Parts without a credential are returned as they are, not copied.
   */
  scrubValue<T>(value: T, onFinding?: (pattern: string) => void): T;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    scrubber: Scrubber;
  }
}
