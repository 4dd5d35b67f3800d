/** `pipeline search QUERY`: ask the vault. */
import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import { addFilterOptions } from '../search/filter-options.js';
import type { SearchFlags } from '../search/search.js';

export const command: CommandModule = {
  minusWords: true,
  configure(command: Command): void {
    command
      .argument('<query...>', 'what to look for; "phrases" must match, -words must not')
      .option('--limit <n>', 'results at most', '5')
      .option('--max-tokens <n>', 'tokens of text at most')
      .option('--format <format>', 'text, json, md, csv or files', 'text')
      .option('--prefix', 'take the last word as the beginning of one')
      .option('--explain', 'why these results: ranks, scores, matched terms, stage times')
      .option('--set <step.key=value>', 'override a setting of the search pipeline; may be repeated', collect, []);
    addFilterOptions(command)
      .addHelpText('after', EXAMPLES)
      .action(async (words: string[], flags: SearchFlags) => {
        const { searchVault } = await import('../search/search.js');
        process.exitCode = await searchVault(words.join(' '), flags);
      });
  },
};

const collect = (value: string, all: string[]): string[] => [...all, value];

const EXAMPLES = `
Examples:
  pipeline search "token rotation" --limit 5
  pipeline search '"exact phrase" oauth -draft' --folder 01-projects
  pipeline search DEC-0054 --format files
  pipeline search "postgres tuning" --updated "last month" --explain`;
