/** Politeness: how many requests at a time, how far apart, and which hosts asked to be left alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { PipelineError } from '../../runner/errors.js';
import type { Clock } from '../../runner/resources.js';
import { retryAfterMs } from './retry-after.js';

/** So many refusals in a row mean the host refuses us, not a page. */
const REFUSALS = 3;
/** How long a host that refuses everything rests when it does not say. */
const REFUSED_PAUSE_MS = 15 * 60_000;
/** A host that asks for so little is waited for. */
const SHORT_PAUSE_MS = 2000;

/** Where rests are kept from one run to the next. Times are milliseconds since the epoch. */
export interface HostRests {
  /** 0 when none is known. */
  until(host: string): Promise<number>;
  rest(host: string, until: number): Promise<void>;
}

export interface HostLimits {
  /** Requests at a time over all hosts. */
  readonly concurrency: number;
  /** Requests at a time to one host. */
  readonly perHost: number;
  /** Least time between the end of a request and the start of the next to the same host, milliseconds. */
  readonly spacingMs: number;
  readonly clock: Clock;
  /** Rests last as long as this object when absent. */
  readonly rests?: HostRests;
}

interface Host {
  readonly queue: PQueue;
  /** End of the last request. */
  last: number;
  pausedUntil: number;
  refusals: number;
  /** Whether the rest of an earlier run was looked up. */
  recalled: boolean;
}

/**
 * Queues requests. A host's turn is taken before a global one: a slow host with many requests waiting never holds up
 * the others.
 */
export class Hosts {
  private readonly global: PQueue;
  private readonly hosts = new Map<string, Host>();

  constructor(private readonly limits: HostLimits) {
    this.global = new PQueue({ concurrency: limits.concurrency });
  }

  /**
   * Runs `work` when it is this host's turn.
   * @throws {PipelineError} `http-paused` with `retryAfterMs` while the host asked to be left alone.
   */
  async take<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const host = this.host(name);
    return host.queue.add(async () => {
      signal?.throwIfAborted();
      if (!host.recalled) {
        host.recalled = true;
        host.pausedUntil = Math.max(host.pausedUntil, (await this.limits.rests?.until(name)) ?? 0);
      }
      await this.wait(name, host, signal);
      try {
        return await this.global.add(work);
      } finally {
        host.last = this.limits.clock.now();
      }
    });
  }

  /** Learns from an answer: 429 and 503 with Retry-After pause the host, and so do refusals in a row. */
  async observe(name: string, status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const host = this.host(name);
    const now = this.limits.clock.now();
    const refused = status === 403 || status === 429;
    host.refusals = refused ? host.refusals + 1 : 0;
    const stated = status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], now) : undefined;
    const pause = stated ?? (host.refusals >= REFUSALS ? REFUSED_PAUSE_MS : 0);
    if (now + pause <= Math.max(now, host.pausedUntil)) return;
    host.pausedUntil = now + pause;
    // A short one is over before another run could begin.
    if (pause > SHORT_PAUSE_MS) await this.limits.rests?.rest(name, host.pausedUntil);
  }

  /** Hosts that rest, with the time (milliseconds since the epoch) they may be asked again. */
  paused(): ReadonlyMap<string, number> {
    const now = this.limits.clock.now();
    const resting = [...this.hosts].filter(([, { pausedUntil }]) => pausedUntil > now);
    return new Map(resting.map(([name, { pausedUntil }]) => [name, pausedUntil]));
  }

  private async wait(name: string, host: Host, signal: AbortSignal | undefined): Promise<void> {
    const now = this.limits.clock.now();
    const pause = host.pausedUntil - now;
    if (pause > SHORT_PAUSE_MS) {
      const until = new Date(host.pausedUntil).toISOString();
      throw new PipelineError('http-paused', `${name} asked to be left alone until ${until}.`, {
        remedy: 'Nothing to do: the next run after that time asks again.',
        retryAfterMs: pause,
      });
    }
    const ms = Math.max(pause, host.last + this.limits.spacingMs - now);
    if (ms > 0) await sleep(ms, undefined, signal === undefined ? {} : { signal });
  }

  private host(name: string): Host {
    const known = this.hosts.get(name);
    if (known) return known;
    const made = {
      queue: new PQueue({ concurrency: this.limits.perHost }),
      last: Number.NEGATIVE_INFINITY,
      pausedUntil: 0,
      refusals: 0,
      recalled: false,
    };
    this.hosts.set(name, made);
    return made;
  }
}
