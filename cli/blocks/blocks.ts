/** Runs the subcommands of `pipeline blocks`. */
import type { BlockFormat } from '../../lib/blocks/render.js';
import { FORMATS } from '../../lib/blocks/render.js';
import { ConfigError } from '../../runner/errors.js';
import { blockSettings, blockStates, type Refreshed, refreshBlocks } from '../../workspace/blocks/blocks.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { budgetLines, listLines, statusLines, statusRows } from './show.js';

export interface BlockFlags extends CommonOptions {
  readonly format: string;
  readonly force?: boolean;
}

/** Blocks are kept beside the index, which is only read. */
const READER = { readOnly: true } as const;

/** Exit code 1 when a block is empty: a cron line should say so. */
export function build(names: string[], flags: BlockFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const refreshed = await refreshBlocks(workspace, { names, force: flags.force ?? false });
      if (output.wantsJson)
        await output.json(
          refreshed.map(({ block, change, reason }) => ({ ...row(block), change, reason: reason ?? null })),
        );
      else for (const one of refreshed) await output.line(builtLine(one));
      await sayNotices(output, refreshed);
      for (const line of budgetLines(workspace.settings.session, refreshed)) await output.info(line);
      return refreshed.some(({ block }) => block.tokens === 0) ? 1 : 0;
    },
    READER,
  );
}

export function list(flags: BlockFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const settings = blockSettings(workspace);
    if (output.wantsJson) await output.json(settings.map(([name, block]) => ({ name, ...block })));
    else for (const line of listLines(settings)) await output.line(line);
    return 0;
  });
}

export function show(names: string[], flags: BlockFlags): Promise<number> {
  const output = new Output(flags);
  const write = FORMATS[flags.format as BlockFormat];
  if (!write)
    throw new ConfigError('block-format', `There is no format "${flags.format}".`, {
      remedy: `Use one of ${Object.keys(FORMATS).join(', ')}.`,
    });
  return withWorkspace(
    flags,
    async (workspace) => {
      const refreshed = await refreshBlocks(workspace, { names });
      if (output.wantsJson)
        await output.json(refreshed.map(({ block }) => ({ ...row(block), text: block.text, sources: block.sources })));
      else await output.text(write(rendered(refreshed)));
      await sayNotices(output, refreshed);
      return 0;
    },
    READER,
  );
}

export function status(flags: BlockFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const states = await blockStates(workspace);
      if (output.wantsJson) await output.json(statusRows(states));
      else
        for (const line of statusLines(states, workspace.settings.session, workspace.clock.now()))
          await output.line(line);
      return 0;
    },
    READER,
  );
}

export async function watch(flags: BlockFlags): Promise<number> {
  const { keepBlocks } = await import('../../workspace/blocks/keep.js');
  const { interruption } = await import('../signals.js');
  const output = new Output(flags);
  const interrupted = interruption(() => void output.info('Stopping.'));
  try {
    return await withWorkspace(flags, async (workspace) => {
      await output.info(`Watching ${workspace.vaultDir}; Ctrl-C stops.`);
      await keepBlocks(workspace, {
        signal: interrupted.stop,
        onProblem: (message) => void output.info(message),
        onRefreshed: (blocks) => {
          for (const one of blocks) {
            if (one.change === 'unchanged') continue;
            if (output.wantsJson)
              void output.json({ ...row(one.block), change: one.change, reason: one.reason ?? null });
            else void output.line(builtLine(one));
          }
          void sayNotices(output, blocks);
        },
      });
      return 0;
    });
  } finally {
    interrupted.dispose();
  }
}

/** Blocks with something in them, as the formats take them. */
export function rendered(refreshed: readonly Refreshed[]): { name: string; text: string; ttlHours: number }[] {
  return refreshed
    .filter(({ block }) => block.tokens > 0)
    .map(({ block, settings }) => ({ name: block.name, text: block.text, ttlHours: settings.ttl_hours }));
}

function row({ name, tokens, built, expires, files, sha256 }: Refreshed['block']) {
  return { name, tokens, built, expires, files: files.map(({ path }) => path), sha256 };
}

function builtLine({ block, change, reason }: Refreshed): string {
  const what = change === 'unchanged' ? 'current' : change === 'renewed' ? 'same bytes, new term' : 'built';
  return `${block.name}: ${what}${reason === undefined ? '' : ` (${reason})`}, ${block.tokens} tokens from ${block.files.length} notes`;
}

async function sayNotices(output: Output, refreshed: readonly Refreshed[]): Promise<void> {
  for (const { message } of refreshed.flatMap(({ notices }) => notices)) await output.info(message);
}
