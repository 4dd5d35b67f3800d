/** `pipeline blocks`: blocks of notes that stay the same bytes, for prompt caches. */
import type { Command } from 'commander';
import type { BlockFlags } from '../blocks/blocks.js';
import type { CommandModule } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    const run =
      (work: (blocks: typeof import('../blocks/blocks.js')) => Promise<number>) => async (): Promise<void> => {
        process.exitCode = await work(await import('../blocks/blocks.js'));
      };
    command
      .command('build [names...]')
      .description('build what is not current: expired, its notes changed, or other notes answer now')
      .option('--force', 'build also what is current')
      .addHelpText('after', '\nExamples:\n  pipeline blocks build\n  pipeline blocks build auth-patterns --force')
      .action((names: string[], flags: BlockFlags) => run((blocks) => blocks.build(names, flags))());
    command
      .command('list')
      .description('the blocks of blocks.yaml, in the order a model gets them')
      .addHelpText('after', '\nExamples:\n  pipeline blocks list\n  pipeline blocks list --json')
      .action((flags: BlockFlags) => run((blocks) => blocks.list(flags))());
    command
      .command('show [names...]')
      .description('print blocks, brought up to date first')
      .option('--format <format>', 'markdown, xml, messages (Anthropic, with cache_control) or prefix', 'markdown')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline blocks show auth-patterns\n  pipeline blocks show --format messages > messages.json\n  pipeline blocks show --format prefix | cat - question.txt | llm',
      )
      .action((names: string[], flags: BlockFlags) => run((blocks) => blocks.show(names, flags))());
    command
      .command('status')
      .description('sizes, age, expiry, what is stale and why, and the session budget')
      .addHelpText('after', '\nExamples:\n  pipeline blocks status\n  pipeline blocks status --json')
      .action((flags: BlockFlags) => run((blocks) => blocks.status(flags))());
    command
      .command('watch')
      .description('index notes as they are written and rebuild the blocks they change')
      .addHelpText('after', '\nExamples:\n  pipeline blocks watch --vault ~/notes')
      .action((flags: BlockFlags) => run((blocks) => blocks.watch(flags))());
    command.addHelpText(
      'after',
      '\nExamples:\n  pipeline blocks build && pipeline blocks status\n  pipeline blocks show --format messages',
    );
  },
};
