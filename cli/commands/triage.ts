/** `pipeline triage`: go through what waits for review, by keyboard or from scripts. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { SelectFlags } from '../triage/commands.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    command
      .command('keys', { isDefault: true })
      .description('keyboard interface (default); on anything but a terminal, the list')
      .action(async (flags: CommonOptions) => {
        const { interactive } = await import('../triage/commands.js');
        process.exitCode = await interactive(flags);
      });
    command
      .command('list')
      .description('what waits for review, best first')
      .option('--source <name>', 'only from this source')
      .action(async (flags: SelectFlags) => {
        const { list } = await import('../triage/commands.js');
        process.exitCode = await list(flags);
      });
    command
      .command('accept [items...]')
      .description('file items (ids, URLs, note paths, title parts); skipped ones are filed from the ledger')
      .option('--domain <name>', 'into this domain instead of the one found')
      .option('--source <name>', 'all that wait from this source')
      .option('--all', 'all that wait')
      .action(async (items: string[], flags: SelectFlags) => {
        const { acceptItems } = await import('../triage/commands.js');
        process.exitCode = await acceptItems(items, flags);
      });
    command
      .command('reject [items...]')
      .description('remove items: their notes leave the vault and they are not offered again')
      .option('--source <name>', 'all that wait from this source')
      .option('--all', 'all that wait')
      .action(async (items: string[], flags: SelectFlags) => {
        const { rejectItems } = await import('../triage/commands.js');
        process.exitCode = await rejectItems(items, flags);
      });
    command
      .command('undo')
      .description('take back the latest accept or reject')
      .action(async (flags: CommonOptions) => {
        const { undoLast } = await import('../triage/commands.js');
        process.exitCode = await undoLast(flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline triage
  pipeline triage list --json
  pipeline triage accept https://example.org/post --domain security
  pipeline triage reject --source "Press wire"
  pipeline triage undo`;
