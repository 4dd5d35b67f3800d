/** HTTP as stages see it: polite, bounded, guarded; tests inject another. */

export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest body in bytes after decompression. */
  readonly maxBytes: number;
  /** Milliseconds for the whole exchange, redirects and body included, waiting for the host's turn not. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Ask robots.txt first (for pages). Has no effect when the settings say not to respect it. */
  readonly robots?: boolean;
  /** Whether the body is wanted, by the answer's headers; when not, it is not read and `body` is empty. */
  readonly wants?: (headers: Readonly<Record<string, string>>) => boolean;
}

export interface HttpResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. Empty for an error status: nobody reads error pages. */
  readonly body: Uint8Array;
}

export interface Http {
  /**
   * Rejects with `PipelineError` codes `http-blocked`, `http-timeout`, `http-too-large`, `http-offline`, `http-paused`,
   * `http-robots`, `http-redirects`, `http-tls`, `http-dns`, `http-url`, `http-encoding`, `http-failed`; a 4xx/5xx
   * status is a response, not an error.
   */
  get(request: HttpRequest): Promise<HttpResponse>;
  /** Hosts that asked to be left alone (Retry-After, refusals in a row), with the time in milliseconds since the epoch. */
  paused?(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    http: Http;
  }
}
