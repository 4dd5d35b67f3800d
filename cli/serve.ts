/**
 * Everything a vault needs to keep itself, in one process. One workspace writes (schedule, watch, blocks) and takes the
 * index lock for each pass only; another reads and answers over HTTP, so that an answer never waits for a writer.
 */
import { messageOf } from '../runner/errors.js';
import { keepBlocks } from '../workspace/blocks/keep.js';
import { isOnServer, mayHaveIndex } from '../workspace/server.js';
import type { Workspace } from '../workspace/workspace.js';
import type { CommonOptions } from './command.js';
import { type HttpOptions, serveHttp } from './mcp/http.js';
import { withWorkspace } from './open.js';
import type { Output } from './output.js';
import { serveSchedule } from './schedule/serve.js';

export interface ServeOptions extends CommonOptions {
  readonly schedule: boolean;
  readonly watch: boolean;
}

/** Another program may be making the first index already. */
const FIRST_INDEX_WAIT_MS = 10 * 60_000;

/** Serves until `stop`. What one part cannot do is said and does not stop the others, except the address it listens on. */
export async function serveAll(
  options: ServeOptions,
  output: Output,
  stop: AbortSignal,
  http: HttpOptions,
): Promise<void> {
  await withWorkspace(options, async (writer) => {
    // A vault that is never quiet would otherwise be without an index until the watcher loses patience.
    if (await isUnindexed(writer)) {
      await output.info('Indexing the vault for the first time.');
      await writer.run('index', { stop, lockWaitMs: FIRST_INDEX_WAIT_MS });
    }
    await withWorkspace(
      options,
      async (reader) => {
        const ended = new AbortController();
        const until = AbortSignal.any([stop, ended.signal]);
        const server = await serveHttp(reader, http);
        await output.info(`Serving ${reader.vaultDir} at ${server.url}. Ctrl-C stops it.`);
        const problem = (part: string) => (error: unknown) => void output.info(`${part}: ${messageOf(error)}`);
        const parts: Promise<void>[] = [];
        // Beside an indexer on another machine nothing is watched here, but its commits are heard.
        if (options.watch || isOnServer(writer.settings))
          parts.push(
            keepBlocks(writer, {
              signal: until,
              watch: options.watch,
              onProblem: (message) => void output.info(message),
              onRefreshed: (blocks) => {
                for (const { block, change } of blocks)
                  if (change !== 'unchanged')
                    void output.info(`block ${block.name}: ${change}, ${block.tokens} tokens`);
              },
            }).catch(problem('watch')),
          );
        if (options.schedule) parts.push(serveSchedule(writer, output, until).catch(problem('schedule')));
        try {
          await stopped(stop);
        } finally {
          ended.abort();
          await server.close();
          await Promise.all(parts);
        }
      },
      { readOnly: true },
    );
  });
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** No file yet; on a server, where opening the store makes its tables, no note yet. */
async function isUnindexed(writer: Workspace): Promise<boolean> {
  if (!mayHaveIndex(writer)) return true;
  if (!isOnServer(writer.settings)) return false;
  return (await (await writer.resources.use('store')).counts()).notes === 0;
}
