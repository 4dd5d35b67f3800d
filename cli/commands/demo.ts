/** `pipeline demo`: the main job on shipped samples, with no network: sources, scored notes, index, search. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface DemoFlags extends CommonOptions {
  readonly keep?: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--keep <dir>', 'make the vault here and keep it (default: a temporary folder)')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline demo\n  pipeline demo --keep ~/demo-vault\n  pipeline search "token rotation" --vault ~/demo-vault',
      )
      .action(async (flags: DemoFlags) => {
        const { runDemo } = await import('../demo/demo.js');
        process.exitCode = await runDemo(flags);
      });
  },
};
