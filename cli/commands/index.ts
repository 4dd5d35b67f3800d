/** `pipeline index`: bring the index up to date with the vault. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface IndexFlags extends CommonOptions {
  readonly full?: boolean;
  readonly verify?: boolean;
  readonly allowDelete?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
}

/** With --wait: long enough for another program to index a large vault from nothing. */
const LONG_WAIT_MS = 10 * 60_000;

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[notes...]', 'only these notes (an editor that saves one); the vault is not walked')
      .option('--full', 'empty the index and build it anew')
      .option('--verify', 'compare the bytes of every note, not only size and time')
      .option('--allow-delete', 'delete however many notes are gone from the vault')
      .option('--dry-run', 'say what would be indexed, change nothing')
      .option('--wait', 'wait while another program writes the index, instead of failing')
      .addHelpText('after', EXAMPLES)
      .action(async (notes: string[], flags: IndexFlags) => {
        process.exitCode = await run(notes, flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline index --vault ~/notes
  pipeline index 01-projects/auth.md
  pipeline index --verify --json
  pipeline index --full`;

async function run(notes: readonly string[], flags: IndexFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { exitCodeOf, printReport } = await import('../run-report.js');
  const { progressLine } = await import('../progress.js');
  const { interruption } = await import('../signals.js');
  if (notes.length > 0 && flags.full) {
    const { ConfigError } = await import('../../runner/errors.js');
    throw new ConfigError('index-usage', 'An index is built anew from all notes.', {
      remedy: 'Leave out either the notes or --full.',
    });
  }
  const output = new Output(flags);
  const progress = progressLine('index', !output.quiet);
  const interrupted = interruption(() => void output.info('Finishing the notes in hand; press Ctrl-C again to abort.'));
  const overrides = [
    ...(flags.full ? ['scan-vault.full=true'] : []),
    ...(flags.verify ? ['scan-vault.verify=true'] : []),
    ...(flags.allowDelete ? ['scan-vault.allow-delete=true'] : []),
  ];
  try {
    return await withWorkspace(flags, async (workspace) => {
      const only = notes.map((note) => notePath(workspace.vaultDir, note));
      const { report, followed } = await workspace.run('index', {
        overrides: only.length > 0 ? [...overrides, `scan-vault.only=${JSON.stringify(only)}`] : overrides,
        dryRun: flags.dryRun ?? false,
        lockWaitMs: flags.wait ? LONG_WAIT_MS : 0,
        stop: interrupted.stop,
        signal: interrupted.signal,
        observers: [
          progress.observer,
          {
            report: (key, value) => void (key === 'total' && progress.total(Number(value))),
            log: (level, stage, message) =>
              void (level === 'debug' ? output.debug : output.info).call(output, `${stage}: ${message}`),
          },
        ],
      });
      progress.done();
      if (only.length > 0 && report.in === 0)
        await output.info('None of these notes differs from the index, or the vault has no such note.');
      await printReport(output, report, followed);
      return exitCodeOf([report, ...followed]);
    });
  } finally {
    progress.done();
    interrupted.dispose();
  }
}

/** A note as the index names it, from a path in the vault or one from the current folder. */
function notePath(root: string, given: string): string {
  const inVault = relative(root, resolve(given));
  const outside = inVault.startsWith('..') || isAbsolute(inVault);
  return (outside ? given : inVault).split(sep).join('/');
}
