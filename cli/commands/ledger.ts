/** `pipeline ledger`: every item ever seen, what became of it and why. */
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { ListFlags } from '../ledger/list.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    withFilters(command.command('list').description('items, most recently seen first'))
      .option('--limit <n>', 'how many (default: 50 for people, all with --json)', count)
      .action(async (flags: ListFlags) => {
        const { list } = await import('../ledger/list.js');
        process.exitCode = await list(flags);
      });
    command
      .command('show <item>')
      .description('one item by id, URL, note path or part of its title: scores, evidence, trail')
      .action(async (item: string, flags: CommonOptions) => {
        const { show } = await import('../ledger/list.js');
        process.exitCode = await show(item, flags);
      });
    withFilters(
      command.command('stats').description('counts and a histogram of composites, by source and domain'),
    ).action(async (flags: ListFlags) => {
      const { stats } = await import('../ledger/stats.js');
      process.exitCode = await stats(flags);
    });
  },
};

function withFilters(command: Command): Command {
  return command
    .option('--outcome <names>', 'written, review, skipped, duplicate, failed, unscored; comma separated')
    .option('--source <name>', 'only this source')
    .option('--domain <name>', 'only this domain')
    .option('--since <when>', 'seen since a date (2026-01-31) or within an age (7d)')
    .option('--min <composite>', 'composite at least', unit)
    .option('--max <composite>', 'composite at most', unit)
    .option('--text <part>', 'part of title, URL or source');
}

/** A number in 0..1. */
function unit(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('Expected a number from 0 to 1.');
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Expected a whole number from 1.');
  return value;
}

const EXAMPLES = `
Examples:
  pipeline ledger list --outcome review,skipped --min 0.25 --since 7d
  pipeline ledger list --json > items.jsonl
  pipeline ledger show https://example.org/post
  pipeline ledger stats --source "Example blog"`;
