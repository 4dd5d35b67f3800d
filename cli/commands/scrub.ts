/** `pipeline scrub`: a filter for text, and a report of a vault for people, CI and code scanners. */
import { type Command, Option } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

export interface ScrubFlags extends CommonOptions {
  readonly report?: string;
  readonly format?: 'text' | 'json' | 'sarif';
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[file]', 'text to scrub (default: stdin); the result goes to stdout')
      .option('--report <vault>', 'list notes of a vault that hold credentials: names and lines, never values')
      .addOption(new Option('--format <format>', 'form of the report').choices(['text', 'json', 'sarif']))
      .addHelpText('after', EXAMPLES)
      .action(async (file: string | undefined, flags: ScrubFlags) => {
        const { scrubText, reportVault } = await import('../scrub.js');
        process.exitCode =
          flags.report === undefined ? await scrubText(file, flags) : await reportVault(flags.report, flags);
      });
  },
};

const EXAMPLES = `
With --report the exit code is 0 when nothing is found, 1 when something is.

Examples:
  pipeline scrub notes/oauth-debug.md > clean.md
  cat session.log | pipeline scrub
  pipeline scrub note.md --json
  pipeline scrub --report ~/notes
  pipeline scrub --report . --format sarif > scrub.sarif`;
