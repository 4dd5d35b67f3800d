/** The fetcher: undici behind per-host queues, an address guard, and limits on time, size and redirects. */
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, request as send } from 'undici';
import { PipelineError } from '../../runner/errors.js';
import type { Clock } from '../../runner/resources.js';
import { bare, checkHost, guardedLookup, type Lookup, type PrivateHosts } from './addresses.js';
import { readBody, tooLarge } from './body.js';
import { explainFailure } from './failures.js';
import { type HostRests, Hosts } from './hosts.js';
import { Robots } from './robots.js';
import type { Http, HttpRequest, HttpResponse } from './types.js';

export interface HttpSettings {
  readonly userAgent: string;
  /** Requests at a time over all hosts [4]. */
  readonly concurrency: number;
  /** Requests at a time to one host [1]. */
  readonly perHost: number;
  /** Least pause between two requests to one host, milliseconds. */
  readonly spacingMs: number;
  /** Redirects followed [5]. */
  readonly redirects: number;
  readonly allowPrivateHosts: PrivateHosts;
  /** Whether requests that ask for it are checked against robots.txt. */
  readonly respectRobots: boolean;
  readonly offline: boolean;
  /** Values of the usual proxy variables; the library itself reads no environment. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly noProxy?: string };
  readonly clock: Clock;
  /** Where rests that hosts asked for outlive the run. */
  readonly rests?: HostRests;
  /** Name resolution; tests inject one. */
  readonly lookup?: Lookup;
}

/** Opens the fetcher. Connections are made on first use. */
export function openHttp(settings: HttpSettings): Http {
  return new Fetcher(settings);
}

/** Statuses that send the reader elsewhere. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

class Fetcher implements Http {
  private readonly hosts: Hosts;
  private readonly robots: Robots;
  private dispatcher: Dispatcher | undefined;

  constructor(private readonly settings: HttpSettings) {
    this.hosts = new Hosts(settings);
    this.robots = new Robots(settings.userAgent, (request) => this.get(request));
  }

  async get(request: HttpRequest): Promise<HttpResponse> {
    let { url, headers } = prepare(request);
    if (this.settings.offline) {
      throw new PipelineError('http-offline', `${url.href} was not fetched: the run is offline.`, {
        remedy: 'Run it without --offline.',
      });
    }
    // Each hop waits for its own host's turn; holding one host's turn while waiting for another's could deadlock.
    let left = request.timeoutMs;
    for (let hop = 0; hop <= this.settings.redirects; hop++) {
      checkHost(url, this.settings.allowPrivateHosts);
      if (request.robots && this.settings.respectRobots)
        await this.robots.check(url, request.timeoutMs, request.signal);
      const target = url;
      const response = await this.hosts.take(target.host, request.signal, async () => {
        const started = this.settings.clock.now();
        try {
          const answer = await this.exchange(target, headers, { ...request, timeoutMs: left });
          // Before the turn ends: the next in the queue must know of a pause.
          await this.hosts.observe(target.host, answer.status, answer.headers);
          return answer;
        } finally {
          left = Math.max(1, left - (this.settings.clock.now() - started));
        }
      });
      const location = REDIRECTS.has(response.status) ? response.headers['location'] : undefined;
      if (location === undefined) return response;
      url = webUrl(location, target);
      if (url.origin !== target.origin) headers = withoutCredentials(headers);
    }
    throw new PipelineError('http-redirects', `${request.url} redirects more than ${this.settings.redirects} times.`, {
      remedy: 'Open it in a browser and use the address where it ends.',
    });
  }

  paused(): ReadonlyMap<string, number> {
    return this.hosts.paused();
  }

  async close(): Promise<void> {
    await this.dispatcher?.destroy();
  }

  /** One request and its answer, bounded in time as a whole: a body that drips cannot outlast the limit. */
  private async exchange(url: URL, headers: Record<string, string>, request: HttpRequest): Promise<HttpResponse> {
    const timeout = AbortSignal.timeout(Math.ceil(request.timeoutMs));
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      this.dispatcher ??= this.connect();
      const answer = await send(url, {
        dispatcher: this.dispatcher,
        signal,
        headers: { 'user-agent': this.settings.userAgent, 'accept-encoding': 'gzip, deflate, br', ...headers },
      });
      const received = flat(answer.headers);
      const result = { url: url.href, status: answer.statusCode, headers: received };
      const good = answer.statusCode >= 200 && answer.statusCode <= 299;
      if (!good || request.wants?.(received) === false) {
        // A redirect's or error's body is of no use; closing the connection is cheaper than reading it.
        answer.body.on('error', () => undefined).destroy();
        return { ...result, body: new Uint8Array() };
      }
      if (Number(received['content-length'] ?? 0) > request.maxBytes) {
        answer.body.on('error', () => undefined).destroy();
        throw tooLarge(request.maxBytes);
      }
      return { ...result, body: await readBody(answer.body, received['content-encoding'], request.maxBytes) };
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw timeout.aborted ? timedOut(url, request.timeoutMs) : explainFailure(url, error);
    }
  }

  private connect(): Dispatcher {
    const { allowPrivateHosts, lookup, proxy } = this.settings;
    const connect = buildConnector({ lookup: guardedLookup(allowPrivateHosts, lookup), timeout: 10_000 });
    if (!proxy?.http && !proxy?.https) return new Agent({ connect });
    // Empty strings keep undici from reading process.env. A proxy resolves names itself, so behind one only addresses
    // that are private as written are refused; hosts that bypass it keep the full guard.
    return new EnvHttpProxyAgent({
      connect,
      // Plain http is asked of the proxy by its full address, as curl does; many proxies refuse tunnels to port 80.
      proxyTunnel: false,
      httpProxy: proxy.http ?? '',
      httpsProxy: proxy.https ?? '',
      noProxy: proxy.noProxy ?? '',
    });
  }
}

/** The URL to send and the headers; credentials in the URL become an Authorization header, as in browsers. */
function prepare(request: HttpRequest): { url: URL; headers: Record<string, string> } {
  const url = webUrl(request.url);
  const headers: Record<string, string> = { ...request.headers };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { url, headers };
}

function webUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || bare(url.hostname) === '') {
    const from = base === undefined ? '' : `, to which ${base.href} redirects,`;
    throw new PipelineError('http-url', `"${text}"${from} is not an http or https address.`, {
      remedy: 'Only web addresses are fetched; correct it in the source.',
    });
  }
  url.hash = '';
  return url;
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)));
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

function timedOut(url: URL, ms: number): PipelineError {
  return new PipelineError('http-timeout', `${url.href} did not answer in full within ${(ms / 1000).toFixed(1)} s.`, {
    remedy: 'It is tried again later; raise http.timeout in config.yaml for slow servers.',
    transient: true,
  });
}
