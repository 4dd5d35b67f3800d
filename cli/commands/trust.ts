/** `pipeline trust`: let a vault bring its own stages and scheduled commands. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface TrustFlags extends CommonOptions {
  readonly revoke?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[vault]', 'vault folder')
      .option('--revoke', 'take the trust back')
      .addHelpText(
        'after',
        '\nCode in <vault>/.pipeline/stages/ runs as you. Read it first.\n\nExamples:\n  pipeline trust ~/notes\n  pipeline trust ~/notes --revoke',
      )
      .action(async (vault: string | undefined, flags: TrustFlags) => {
        const { withWorkspace } = await import('../open.js');
        const { Output } = await import('../output.js');
        const { setTrusted } = await import('../../workspace/trust.js');
        const output = new Output(flags);
        const common = vault === undefined ? flags : { ...flags, vault };
        await withWorkspace(common, async ({ vaultDir, stateDir }) => {
          setTrusted(vaultDir, stateDir, !flags.revoke);
          if (output.wantsJson) await output.json({ vault: vaultDir, trusted: !flags.revoke });
          else await output.line(`${vaultDir} is ${flags.revoke ? 'no longer ' : ''}trusted.`);
        });
      });
  },
};
