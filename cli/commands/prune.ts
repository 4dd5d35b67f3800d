/** `pipeline prune`: removes what the settings call old of what is kept beside the vault. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface PruneFlags extends CommonOptions {
  readonly dryRun?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--dry-run', 'say what would go, remove nothing')
      .addHelpText(
        'after',
        '\nAges and sizes: `retention` and `ledger` in config.yaml. Notes and the index are never touched.\n\nExamples:\n  pipeline prune --dry-run\n  pipeline prune --json',
      )
      .action(run);
  },
};

const NAMES: Readonly<Record<string, string>> = {
  'hook-output': 'raw outputs of tools',
  'hook-session': 'records of sessions',
  log: 'logs rotated',
  'run-record': 'records of scheduled runs',
  'ledger-row': 'ledger items',
  'ledger-text': 'stored texts of ledger items',
};

async function run(flags: PruneFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { prune } = await import('../../workspace/retention.js');
  const output = new Output(flags);
  await withWorkspace(flags, async (workspace) => {
    const pruned = await prune(workspace, !flags.dryRun);
    if (output.wantsJson) {
      await output.json({ dry_run: flags.dryRun ?? false, pruned });
      return;
    }
    const found = pruned.filter(({ count }) => count > 0);
    for (const { kind, count, bytes } of found)
      await output.line(
        `${String(count).padStart(6)} ${NAMES[kind] ?? kind}${bytes > 0 ? `, ${Math.ceil(bytes / 1024)} KiB` : ''}`,
      );
    if (found.length === 0) await output.line('Nothing is old enough.');
    else if (flags.dryRun) await output.line('Nothing was removed: run without --dry-run.');
  });
}
