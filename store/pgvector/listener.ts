/**
 * Hears of commits by LISTEN, on a connection of its own. A lost connection is made anew for as long as it takes; what
 * was committed meanwhile cannot be known, so coming back counts as a commit.
 */
import { setTimeout as wait } from 'node:timers/promises';

/** What of a `pg` client is needed. */
export interface ListeningClient {
  query(sql: string): Promise<unknown>;
  on(event: 'notification' | 'end' | 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

export interface ListenOptions {
  /** Opens a connection; rejects while the server is away. */
  readonly connect: () => Promise<ListeningClient>;
  readonly channel: string;
  readonly onCommit: () => void;
  readonly signal: AbortSignal;
  /** Waits between two tries to come back; tests give one that does not. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Resolves once it listens, and goes on until the signal aborts. Rejects when the first connection cannot be made. */
export async function listen(options: ListenOptions): Promise<void> {
  const first = await start(options);
  void keepListening(options, first);
}

interface Listening {
  readonly client: ListeningClient;
  readonly lost: Promise<void>;
}

async function start({ connect, channel, onCommit, signal }: ListenOptions): Promise<Listening> {
  const client = await connect();
  const lost = new Promise<void>((resolve) => {
    client.on('end', resolve);
    client.on('error', resolve);
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  client.on('notification', () => {
    if (!signal.aborted) onCommit();
  });
  await client.query(`LISTEN "${channel}"`);
  return { client, lost };
}

async function keepListening(options: ListenOptions, first: Listening): Promise<void> {
  const { onCommit, signal, pause = (ms) => wait(ms, undefined, { signal }) } = options;
  let current = first;
  for (;;) {
    await current.lost;
    await current.client.end().catch(() => undefined);
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      if (signal.aborted) return;
      try {
        await pause(ms);
        current = await start(options);
        break;
      } catch {
        // Away still, or aborted: the loop's head tells which.
      }
    }
    if (!signal.aborted) onCommit();
  }
}
