/** `pipeline promote FILE`: a human accepts what an agent wrote. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface PromoteFlags extends CommonOptions {
  readonly to: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('<file>', 'path of a note below agent_learnings/')
      .option('--to <folder>', 'where it goes', '03-resources')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline promote "agent_learnings/Retry 429s.md"\n  pipeline promote "agent_learnings/Retry 429s.md" --to 03-resources/programming',
      )
      .action(async (file: string, flags: PromoteFlags) => {
        const { withWorkspace } = await import('../open.js');
        const { Output } = await import('../output.js');
        const { promote } = await import('../../workspace/promote.js');
        const output = new Output(flags);
        await withWorkspace(flags, async (workspace) => {
          const path = await promote(workspace, file, flags.to);
          if (output.wantsJson) await output.json({ from: file, to: path });
          else await output.line(`Promoted to ${path}`);
        });
      });
  },
};
