/** `pipeline extract URL_OR_FILE`: what the reader makes of one page. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('<page>', 'address of a page, or an HTML file')
      .option('--url <address>', 'address of the page that a file is a copy of: base of its relative links')
      .addHelpText('after', EXAMPLES)
      .action(async (page: string, flags: ExtractFlags) => {
        const { runExtract } = await import('../extract.js');
        process.exitCode = await runExtract(page, flags);
      });
  },
};

export interface ExtractFlags extends CommonOptions {
  readonly url?: string;
}

const EXAMPLES = `
Examples:
  pipeline extract https://example.org/article
  pipeline extract saved.html --url https://example.org/article --json`;
