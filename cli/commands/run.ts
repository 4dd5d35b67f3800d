/** `pipeline run NAME`: run any pipeline, shipped or the user's own. */
import type { Command } from 'commander';
import { ConfigError } from '../../runner/errors.js';
import { parseDuration } from '../../runner/units.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface RunFlags extends CommonOptions {
  readonly dryRun?: boolean;
  readonly set: string[];
  readonly since?: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('<pipeline>', 'name of a pipeline, or a path to its YAML file')
      .option('--dry-run', 'do everything except writing')
      .option(
        '--set <step.key=value>',
        'override a setting of a step; may be repeated',
        (v: string, all: string[]) => [...all, v],
        [],
      )
      .option('--since <when>', 'only items newer than a date (2026-01-31) or an age (7d)')
      .addHelpText('after', EXAMPLES)
      .action(async (name: string, flags: RunFlags) => {
        process.exitCode = await run(name, flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline run ingest --vault ~/notes
  pipeline run ingest --dry-run --set route.write=0.6
  pipeline run ingest --since 7d --json`;

async function run(name: string, flags: RunFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { exitCodeOf, printReport } = await import('../run-report.js');
  const { progressLine } = await import('../progress.js');
  const { interruption } = await import('../signals.js');
  const output = new Output(flags);
  const progress = progressLine(name, !output.quiet);
  const interrupted = interruption(() => void output.info('Finishing the item in hand; press Ctrl-C again to abort.'));
  try {
    return await withWorkspace(flags, async (workspace) => {
      const since = flags.since === undefined ? undefined : parseSince(flags.since, workspace.clock.now());
      const { report, followed } = await workspace.run(name, {
        overrides: flags.set,
        dryRun: flags.dryRun ?? false,
        stop: interrupted.stop,
        signal: interrupted.signal,
        observers: [
          progress.observer,
          {
            log: (level, stage, message) =>
              void (level === 'debug' ? output.debug : output.info).call(output, `${stage}: ${message}`),
          },
        ],
        ...(since === undefined ? {} : { since }),
      });
      progress.done();
      await printReport(output, report, followed);
      const { offerTriage } = await import('../triage/offer.js');
      if (!flags.dryRun) await offerTriage(workspace.plan(name, flags.set), workspace, flags, output);
      return exitCodeOf([report, ...followed]);
    });
  } finally {
    progress.done();
    interrupted.dispose();
  }
}

/** A date or an age before now -> milliseconds since the epoch. */
export function parseSince(text: string, now: number): number {
  const age = parseDuration(text);
  const at = age === undefined ? Date.parse(text) : now - age;
  if (Number.isNaN(at)) {
    throw new ConfigError('since', `--since "${text}" is neither a date nor an age.`, {
      remedy: 'Write 2026-01-31, 7d or 12h.',
    });
  }
  return at;
}
