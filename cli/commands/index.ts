/** `pipeline index`: bring the index up to date with the vault. */
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
      .option('--full', 'empty the index and build it anew')
      .option('--verify', 'compare the bytes of every note, not only size and time')
      .option('--allow-delete', 'delete however many notes are gone from the vault')
      .option('--dry-run', 'say what would be indexed, change nothing')
      .option('--wait', 'wait while another program writes the index, instead of failing')
      .addHelpText('after', EXAMPLES)
      .action(async (flags: IndexFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline index --vault ~/notes
  pipeline index --verify --json
  pipeline index --full`;

async function run(flags: IndexFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { exitCodeOf, printReport } = await import('../run-report.js');
  const { progressLine } = await import('../progress.js');
  const { interruption } = await import('../signals.js');
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
      const { report, followed } = await workspace.run('index', {
        overrides,
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
      await printReport(output, report, followed);
      return exitCodeOf([report, ...followed]);
    });
  } finally {
    progress.done();
    interrupted.dispose();
  }
}
