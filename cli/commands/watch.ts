/** `pipeline watch`: index notes as they are written. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface WatchFlags extends CommonOptions {
  readonly quietPeriod?: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--quiet-period <duration>', 'wait until nothing has changed for this long (default 1500ms)')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline watch --vault ~/notes\n  pipeline watch --json   # one line a pass',
      )
      .action(async (flags: WatchFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

async function run(flags: WatchFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { summaryLine } = await import('../run-report.js');
  const { interruption } = await import('../signals.js');
  const { parseDuration } = await import('../../runner/units.js');
  const { ConfigError } = await import('../../runner/errors.js');
  const { watchVault } = await import('../../workspace/watch.js');
  const quietMs = flags.quietPeriod === undefined ? undefined : parseDuration(flags.quietPeriod);
  if (flags.quietPeriod !== undefined && quietMs === undefined)
    throw new ConfigError('quiet-period', `--quiet-period "${flags.quietPeriod}" is no duration.`, {
      remedy: 'Write 500ms, 2s or 1m.',
    });
  const output = new Output(flags);
  const interrupted = interruption(() => void output.info('Stopping after the notes in hand.'));
  try {
    return await withWorkspace(flags, async (workspace) => {
      await output.info(`Watching ${workspace.vaultDir}; Ctrl-C stops.`);
      await watchVault(workspace, {
        signal: interrupted.stop,
        ...(quietMs === undefined ? {} : { quietMs }),
        onProblem: (message) => void output.info(message),
        onPass: (report) => {
          if (output.wantsJson) void output.json(report);
          else if (report.written + report.failed.length > 0) void output.line(summaryLine(report));
          for (const { message } of report.notices) void output.info(`note: ${message}`);
        },
      });
      return 0;
    });
  } finally {
    interrupted.dispose();
  }
}
