/** The polite client: one request a host at a time, caps on time, size and redirects, no private addresses, pauses obeyed. */

import ipaddr from 'ipaddr.js';
import PQueue from 'p-queue';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { Clock } from '../../runner/resources.js';
import { bareHost, blockedAddress, guardedLookup, isPublicAddress } from './addresses.js';
import { readBody } from './body.js';
import { parseRetryAfter } from './retry-after.js';
import type { Http, HttpRequest, HttpResponse } from './types.js';

export interface HttpSettings {
  readonly userAgent: string;
  readonly concurrency: number;
  readonly perHost: number;
  /** Least time between the starts of two requests to one host. */
  readonly spacingMs: number;
  readonly redirects: number;
  readonly allowPrivateHosts: boolean;
  readonly offline: boolean;
  readonly clock: Clock;
  /** Proxy URLs, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY give them. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly noProxy?: string };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A 429 or 503 without Retry-After pauses its host this long. */
const DEFAULT_PAUSE_MS = 60_000;
/** So many 403 in a row, and the host rests. */
const REFUSALS = 3;
const REFUSED_PAUSE_MS = 600_000;

/** Opens the client; connections are kept alive until `close`. */
export function openHttp(settings: HttpSettings): Http {
  const dispatcher = openDispatcher(settings);
  const all = new PQueue({ concurrency: settings.concurrency });
  const hosts = new Map<string, PQueue>();
  const pausedUntil = new Map<string, number>();
  const refusals = new Map<string, number>();

  const queueOf = (host: string): PQueue => {
    const known =
      hosts.get(host) ??
      new PQueue({ concurrency: settings.perHost, interval: settings.spacingMs, intervalCap: settings.perHost });
    hosts.set(host, known);
    return known;
  };

  /** A host that refuses again and again is left alone for a while: it has noticed us and means it. */
  const noteRefusals = (host: string, status: number): void => {
    const count = status === 403 ? (refusals.get(host) ?? 0) + 1 : 0;
    refusals.set(host, count);
    if (count >= REFUSALS) pausedUntil.set(host, settings.clock.now() + REFUSED_PAUSE_MS);
  };

  const once = async (
    url: URL,
    asked: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpResponse & { readonly next?: URL }> => {
    const { host } = url;
    const wait = (pausedUntil.get(host) ?? 0) - settings.clock.now();
    if (wait > 0) throw paused(host, wait);
    const response = await request(url, {
      dispatcher,
      signal,
      headers: { 'user-agent': settings.userAgent, 'accept-encoding': 'gzip, deflate, br', ...asked.headers },
    });
    const headers = flatHeaders(response.headers);
    const { statusCode: status } = response;
    const { location } = headers;
    if (REDIRECTS.has(status) && location !== undefined) {
      response.body.destroy();
      return { url: url.href, status, headers, body: new Uint8Array(), next: new URL(location, url) };
    }
    if (status === 429 || status === 503) {
      const pause = parseRetryAfter(headers['retry-after'], settings.clock.now()) ?? DEFAULT_PAUSE_MS;
      pausedUntil.set(host, settings.clock.now() + pause);
    }
    noteRefusals(host, status);
    const body = await readBody(response.body, headers['content-encoding'], asked.maxBytes, url.href);
    return { url: url.href, status, headers, body };
  };

  const follow = async (asked: HttpRequest): Promise<HttpResponse> => {
    // Time starts with the exchange, not with the wait for the host's turn.
    let timeout: AbortSignal | undefined;
    const start = (url: URL): Promise<HttpResponse & { readonly next?: URL }> => {
      timeout ??= AbortSignal.timeout(asked.timeoutMs);
      return once(url, asked, asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout);
    };
    const waiting = asked.signal ? { signal: asked.signal } : {};
    let url = checkedUrl(asked.url, settings);
    for (let hop = 0; ; hop++) {
      try {
        // The host's queue first: thirty feeds of one host must not fill the common queue while they wait for each other.
        const { next, ...response } = await queueOf(url.host).add(() => all.add(() => start(url), waiting), waiting);
        if (!next) return response;
        if (hop >= settings.redirects) {
          throw new PipelineError('http-redirects', `${asked.url} redirects more than ${settings.redirects} times.`);
        }
        url = checkedUrl(next.href, settings);
      } catch (error) {
        throw explained(error, asked, timeout?.aborted ?? false);
      }
    }
  };

  return {
    get: follow,
    close: async () => {
      await dispatcher.destroy();
    },
  };
}

function openDispatcher({ allowPrivateHosts, proxy }: HttpSettings): Dispatcher {
  const connect = allowPrivateHosts ? {} : { lookup: guardedLookup };
  // Through a proxy the proxy resolves names, so the guard can only judge what is written in the URL.
  if (proxy?.http || proxy?.https) {
    return new EnvHttpProxyAgent({
      ...(proxy.http ? { httpProxy: proxy.http } : {}),
      ...(proxy.https ? { httpsProxy: proxy.https } : {}),
      ...(proxy.noProxy ? { noProxy: proxy.noProxy } : {}),
    });
  }
  return new Agent({ connect, connections: 4, pipelining: 1 });
}

function checkedUrl(text: string, { allowPrivateHosts, offline }: HttpSettings): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new PipelineError('http-url', `"${text}" is not a URL.`, { cause });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PipelineError('http-blocked', `${url.protocol} addresses are not fetched; only http and https are.`);
  }
  if (offline)
    throw new PipelineError('http-offline', `${url.host} was not asked: this run is offline.`, {
      remedy: 'Run without --offline.',
    });
  const host = bareHost(url);
  if (!allowPrivateHosts && ipaddr.isValid(host) && !isPublicAddress(host)) throw blockedAddress(url.host, host);
  // A login in the URL would end up in notes and logs; it is never sent either.
  url.username = '';
  url.password = '';
  return url;
}

function paused(host: string, ms: number): PipelineError {
  return new PipelineError('http-paused', `${host} asked for a pause of ${Math.ceil(ms / 1000)} s.`, {
    transient: true,
    retryAfterMs: ms,
    remedy: 'The next run asks again.',
  });
}

/** Network errors as ours: what happened, with whom, and whether a retry can help. */
function explained(error: unknown, { url, timeoutMs }: HttpRequest, timedOut: boolean): unknown {
  if (error instanceof PipelineError) return error;
  const cause = (error as { cause?: unknown }).cause;
  if (cause instanceof PipelineError) return cause;
  if (timedOut) {
    return new PipelineError('http-timeout', `${url} did not answer within ${timeoutMs / 1000} s.`, {
      cause: error,
      transient: true,
    });
  }
  const { code } = error as { code?: unknown };
  const tls = typeof code === 'string' && /CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code);
  return new PipelineError(
    tls ? 'http-tls' : 'http-failed',
    `${url} could not be fetched: ${messageOf(error)}${typeof code === 'string' ? ` (${code})` : ''}.`,
    {
      cause: error,
      transient: !tls,
    },
  );
}

function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
