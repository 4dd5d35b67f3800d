/** `pipeline migrate`: move index and ledger to a server, or back. */
import { type Command, Option } from 'commander';
import type { Migration } from '../../workspace/migrate.js';
import type { CommandModule, CommonOptions } from '../command.js';
import type { Output } from '../output.js';

interface MigrateFlags extends CommonOptions {
  readonly to: 'postgres' | 'sqlite';
  readonly store?: string;
  readonly replace?: boolean;
  readonly verify?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .addOption(
        new Option('--to <store>', 'where to: a server, or back into files')
          .choices(['postgres', 'sqlite'])
          .makeOptionMandatory(),
      )
      .option('--store <url>', 'the server: postgres://… or file:PATH (default: the setting `store`)')
      .option('--replace', 'empty an index that is already there first')
      .option('--verify', 'read every vector back and compare it, bit by bit')
      .addHelpText('after', EXAMPLES)
      .action(async (flags: MigrateFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

const EXAMPLES = `
Copies notes, chunks, links, vectors and the ledger; nothing is embedded or fetched again, and the source stays as it is.
Interrupted, the same command goes on where it stopped.

Examples:
  pipeline migrate --to postgres --store "postgres://indexer@db.internal/knowledge?schema=team"
  pipeline migrate --to postgres --store "postgres://db.internal/knowledge?schema=equipe&language=french"
  pipeline migrate --to postgres --store file:/run/secrets/store --verify
  pipeline migrate --to sqlite`;

async function run(flags: MigrateFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { progressLine } = await import('../progress.js');
  const { interruption } = await import('../signals.js');
  const { migrate } = await import('../../workspace/migrate.js');
  const output = new Output(flags);
  const progress = progressLine('migrate', !output.quiet);
  const interrupted = interruption(() => void output.info('Finishing the notes in hand; the same command goes on.'));
  try {
    const { to, store, replace, verify } = flags;
    const migration = await withWorkspace(flags, (workspace) =>
      migrate(workspace, {
        to,
        ...(store === undefined ? {} : { store }),
        replace: replace ?? false,
        verify: verify ?? false,
        signal: interrupted.stop,
        onProgress: progress.at,
      }),
    );
    progress.done();
    await print(output, migration, flags);
    return 0;
  } finally {
    progress.done();
    interrupted.dispose();
  }
}

async function print(output: Output, migration: Migration, { to, store }: MigrateFlags): Promise<void> {
  if (output.wantsJson) return output.json(migration);
  const { from, to: target, notes, chunks, vectors, compared, ledger, seconds } = migration;
  await output.line(`From ${from}\nto   ${target}, in ${seconds.toFixed(1)} s`);
  await output.line(`  ${notes} notes, ${chunks} chunks, ${vectors} vectors`);
  if (compared !== null) await output.line(`  ${compared} vectors compared, all the same bits`);
  if (ledger)
    await output.line(
      `  ledger: ${ledger.rows} items, ${ledger.labels} decisions, ${ledger.actions} actions, ${ledger.sources} sources`,
    );
  if (to === 'sqlite') await output.line('Set `store: sqlite` in .pipeline/config.yaml to use it.');
  else if (store !== undefined) await output.line('Set `store` in .pipeline/config.yaml to use it; see docs/team.md.');
}
