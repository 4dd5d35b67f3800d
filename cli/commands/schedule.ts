/** `pipeline schedule`: run pipelines by the clock, list what comes, show what was. */
import type { Command } from 'commander';
import { packagePath } from '../../lib/package-root.js';
import { ConfigError } from '../../runner/errors.js';
import type { CommandModule, CommonOptions } from '../command.js';
import type { UnitKind } from '../schedule/unit.js';

interface ScheduleFlags extends CommonOptions {
  readonly printUnit?: string;
  readonly limit?: string;
}

const EXAMPLES = `
Jobs stand in <vault>/.pipeline/schedule.yaml; one schedule a vault, and its runs share the index lock with yours.

Examples:
  pipeline schedule serve --vault ~/notes
  pipeline schedule next --vault ~/notes
  pipeline schedule run ingest --vault ~/notes
  pipeline schedule history --limit 20 --json
  pipeline schedule serve --print-unit systemd --vault ~/notes > ~/.config/systemd/user/sluice.service`;

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    command
      .command('serve', { isDefault: true })
      .description('run the schedule in the foreground until Ctrl-C or SIGTERM')
      .option('--print-unit <kind>', 'print a unit file instead: systemd, launchd or windows')
      .action(serve);
    command.command('next').alias('list').description('jobs and when they run next').action(next);
    command.command('run').argument('<job>').description('run one job now').action(runNow);
    command
      .command('history')
      .option('--limit <number>', 'newest entries', '50')
      .description('what ran, failed or was missed')
      .action(history);
  },
};

async function serve(flags: ScheduleFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { interruption } = await import('../signals.js');
  const output = new Output(flags);
  if (flags.printUnit !== undefined) return printUnit(flags, flags.printUnit);
  const { serveSchedule } = await import('../schedule/serve.js');
  const interrupted = interruption(() => void output.info('Stopping after the run in hand.'));
  try {
    await withWorkspace(flags, (workspace) => serveSchedule(workspace, output, interrupted.stop));
  } finally {
    interrupted.dispose();
  }
}

async function printUnit(flags: ScheduleFlags, kind: string): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { unitFile } = await import('../schedule/unit.js');
  if (!['systemd', 'launchd', 'windows'].includes(kind))
    throw new ConfigError('unit', `"${kind}" is not a kind of unit.`, { remedy: 'Use systemd, launchd or windows.' });
  const main = packagePath('dist', 'cli', 'main.js');
  await withWorkspace(flags, ({ vaultDir }) =>
    new Output(flags).text(unitFile(kind as UnitKind, { vault: vaultDir, node: process.execPath, main })),
  );
}

async function next(flags: ScheduleFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { scheduledJobs } = await import('../../workspace/schedule.js');
  const output = new Output(flags);
  await withWorkspace(flags, async (workspace) => {
    const rows = scheduledJobs(workspace).map(({ name, pipeline, cron, timeZone, occurrences }) => {
      const at = occurrences.next(workspace.clock.now());
      return {
        job: name,
        pipeline,
        cron,
        time_zone: timeZone,
        next: at === undefined ? null : new Date(at).toISOString(),
      };
    });
    if (output.wantsJson) await output.json(rows);
    else
      for (const row of rows)
        await output.line(`${row.job.padEnd(16)} ${row.cron.padEnd(18)} ${row.time_zone}  next ${row.next ?? 'never'}`);
  });
}

async function runNow(name: string, flags: ScheduleFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { jobNamed, runJob, scheduledJobs } = await import('../../workspace/schedule.js');
  await withWorkspace(flags, async (workspace) => {
    await runJob(workspace, jobNamed(scheduledJobs(workspace), name), new AbortController().signal);
    await new Output(flags).line(`${name}: ok`);
  });
}

async function history(flags: ScheduleFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { ScheduleHistory } = await import('../../workspace/schedule.js');
  const output = new Output(flags);
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new ConfigError('limit', `"${flags.limit ?? ''}" is not a number.`, { remedy: 'Example: --limit 20' });
  await withWorkspace(flags, async (workspace) => {
    const entries = new ScheduleHistory(workspace).read().slice(-limit);
    if (output.wantsJson) await output.json(entries);
    else
      for (const e of entries)
        await output.line(
          `${e.due}  ${e.job.padEnd(16)} ${e.status}${e.count > 1 ? ` (${e.count} due times)` : ''}${e.reason ? `: ${e.reason}` : ''}`,
        );
  });
}
