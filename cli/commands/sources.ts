/** `pipeline sources`: what intake reads, and how each source is doing. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { AddFlags } from '../sources/edit.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    command
      .command('list')
      .description('all sources: last success, failures in a row, days without anything new')
      .action(async (flags: CommonOptions) => {
        process.exitCode = await (await import('../sources/list.js')).list(flags);
      });
    command
      .command('add <url>')
      .description('add a source; a feed is read first, a web page is followed to its feed')
      .option('--name <name>', 'its name (default: the title of the feed)')
      .option('--kind <kind>', 'feed, bookmarks, mail, list or inbox', 'feed')
      .option('--category <path>', 'folder in OPML, e.g. Tech/Databases')
      .option('--tags <a,b>', 'tags every item gets')
      .option('--no-check', 'add it unread')
      .action(async (url: string, flags: AddFlags) => {
        process.exitCode = await (await import('../sources/edit.js')).add(url, flags);
      });
    command
      .command('remove <source>')
      .description('remove a source by name or address; its notes stay')
      .action(async (source: string, flags: CommonOptions) => {
        process.exitCode = await (await import('../sources/edit.js')).remove(source, flags);
      });
    command
      .command('test <target>')
      .description('read a feed (address, file or name of a source) and show what comes out; stores nothing')
      .action(async (target: string, flags: CommonOptions) => {
        process.exitCode = await (await import('../sources/test.js')).test(target, flags);
      });
    command
      .command('import <file>')
      .description('add the feeds of an OPML file')
      .action(async (file: string, flags: CommonOptions) => {
        process.exitCode = await (await import('../sources/edit.js')).importOpml(file, flags);
      });
    command
      .command('export')
      .description('print the feeds as OPML')
      .action(async (flags: CommonOptions) => {
        process.exitCode = await (await import('../sources/edit.js')).exportOpml(flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline sources add https://example.org/blog --tags databases
  pipeline sources test https://example.org/feed.xml
  pipeline sources test feed.xml --json
  pipeline sources list --json
  pipeline sources import subscriptions.opml
  pipeline sources export > subscriptions.opml`;
