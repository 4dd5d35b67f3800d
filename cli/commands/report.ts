/** `pipeline report`: what came in since a time, by domain, best first, and what failed. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface ReportFlags extends CommonOptions {
  readonly since: string;
  readonly write?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--since <when>', 'a date (2026-01-31) or an age (7d, 12h)', '7d')
      .option('--write', 'also write it as a note: 05-signals/digests/DATE.md')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline report --since 7d\n  pipeline report --since 2026-01-31 --json\n  pipeline report --since 1d --write   # a daily digest in the vault',
      )
      .action(run);
  },
};

async function run(flags: ReportFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { digest } = await import('../../lib/report/digest.js');
  const { intakeReport, writeDigest } = await import('../../workspace/intake-report.js');
  const { parseSince } = await import('./run.js');
  const output = new Output(flags);
  await withWorkspace(
    flags,
    async (workspace) => {
      const report = await intakeReport(workspace, parseSince(flags.since, workspace.clock.now()));
      const note = flags.write ? await writeDigest(workspace, report) : undefined;
      if (output.wantsJson) await output.json({ ...report, note: note ?? null });
      else await output.text(digest(report));
      if (note !== undefined) await output.info(`Written to ${note}.`);
    },
    { readOnly: true },
  );
}
