/** HTTP as stages see it: polite, bounded, guarded; tests inject another. */

export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest body in bytes after decompression. */
  readonly maxBytes: number;
  /** Milliseconds for the whole exchange. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Http {
  /** Rejects with `PipelineError` codes `http-blocked`, `http-timeout`, `http-too-large`, `http-offline`, `http-failed` …; a 4xx/5xx status is a response, not an error. */
  get(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    http: Http;
  }
}
