/** Tells connected clients that the notes have changed, where the store hears of it: on a server, from any indexer. */
import { setTimeout as wait } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Workspace } from '../../workspace/workspace.js';

/** An index run commits every few notes; clients are told at most this often. */
const AT_MOST_EVERY_MS = 2000;
/** The first index may still be on its way. */
const RETRY_MS = 60_000;

/** Listens until the signal aborts. Without an index there is nothing to hear yet, and the tools say what to run. */
export async function announceChanges(
  { resources }: Pick<Workspace, 'resources'>,
  servers: () => Iterable<Pick<McpServer, 'sendResourceListChanged'>>,
  signal: AbortSignal,
): Promise<void> {
  let pending: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearTimeout(pending), { once: true });
  const heard = (): void => {
    pending ??= setTimeout(() => {
      pending = undefined;
      for (const server of servers()) server.sendResourceListChanged();
    }, AT_MOST_EVERY_MS).unref();
  };
  while (!signal.aborted) {
    try {
      return await (await resources.use('store')).onCommit?.(heard, signal);
    } catch {
      await wait(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
