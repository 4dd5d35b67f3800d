/** `pipeline init DIR`: a vault from the template; existing files are never touched. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('<dir>', 'folder to create, or an existing vault to complete')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline init ~/notes\n  pipeline init ~/existing-vault   # adds only what is missing',
      )
      .action(async (dir: string, flags: CommonOptions) => {
        const { initVault } = await import('../../workspace/init.js');
        const { Output } = await import('../output.js');
        const output = new Output(flags);
        const { vault, created } = initVault(dir);
        if (output.wantsJson) await output.json({ vault, created });
        else {
          await output.line(
            created.length === 0
              ? `${vault} already has everything.`
              : `${vault}: ${created.length} files and folders created.`,
          );
          await output.info(
            `Next: name your sources in ${vault}/.pipeline/sources.yaml, then run \`pipeline run ingest --vault ${dir}\`.`,
          );
        }
      });
  },
};
