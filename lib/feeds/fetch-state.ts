/** How a feed is asked for, and when it may be asked again. */
import { PipelineError } from '../../runner/errors.js';
import { retryAfterMs } from '../net/retry-after.js';
import type { HttpResponse } from '../net/types.js';

const FIRST_PAUSE_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Pause after the nth failure in a row: 5 minutes, 10, 20 … a day. */
export function backOffMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS);
}

const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

/** Request headers; with what the server last said of its version, so that it may answer "not modified". */
export function feedHeaders(last: { readonly etag?: string; readonly lastModified?: string }): Record<string, string> {
  return {
    accept: ACCEPT,
    ...(last.etag === undefined ? {} : { 'if-none-match': last.etag }),
    ...(last.lastModified === undefined ? {} : { 'if-modified-since': last.lastModified }),
  };
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'The feed needs a login; look for a public or tokenised address.',
  403: 'The server refuses programs; ask for the feed less often or look for another address.',
  404: 'The feed is gone; look for its new address on the site.',
  410: 'The feed is gone for good; remove it with `pipeline sources remove`.',
  429: 'It was asked too often; it rests for the time the server states.',
};

/** The error for an answer that is no feed by its status. */
export function statusError(response: Pick<HttpResponse, 'status' | 'headers'>, now: number): PipelineError {
  const { status, headers } = response;
  const wait = retryAfterMs(headers['retry-after'], now);
  return new PipelineError('source-status', `The server answered ${status}.`, {
    remedy: REMEDIES[status] ?? 'It is tried again later.',
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}
