/** `pipeline install CLIENT`: register the vault with a coding agent, and take it back. */
import type { Command } from 'commander';
import { ConfigError } from '../../runner/errors.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface InstallFlags extends CommonOptions {
  readonly scope: string;
  readonly hooks?: boolean;
  readonly print?: boolean;
  readonly uninstall?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument(
        '<client>',
        'claude-code, codex, cursor, vscode or claude-desktop; generic prints what any other client needs',
      )
      .option('--scope <scope>', 'project: this folder; user: your home', 'project')
      .option('--hooks', 'also register the hooks (claude-code, codex)')
      .option('--print', 'show what would be written and write nothing')
      .option('--uninstall', 'restore the files as they were')
      .addHelpText('after', EXAMPLES)
      .action(run);
  },
};

const EXAMPLES = `
Existing settings and their comments are kept; a second run changes nothing.

Examples:
  pipeline install claude-code --vault ~/notes --hooks
  pipeline install codex --scope user --vault ~/notes
  pipeline install cursor --vault ~/notes --print
  pipeline install generic --vault ~/notes       # prints; for clients not named here
  pipeline install claude-code --vault ~/notes --uninstall`;

async function run(name: string, flags: InstallFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { generic } = await import('../install/clients.js');
  const { clientNamed, install, preview, uninstall } = await import('../install/install.js');
  if (flags.scope !== 'user' && flags.scope !== 'project')
    throw new ConfigError('scope', `"${flags.scope}" is not a scope.`, { remedy: 'Use user or project.' });
  const client = name === 'generic' ? undefined : clientNamed(name);
  const scope = flags.scope;
  const output = new Output(flags);
  await withWorkspace(flags, async ({ vaultDir, stateDir }) => {
    const setup = {
      vault: vaultDir,
      command: 'pipeline',
      args: [],
      scope,
      project: process.cwd(),
      hooks: flags.hooks ?? false,
    } as const;
    if (!client) {
      await output.text(generic(setup));
      return;
    }
    if (flags.print) {
      const files = preview(client.changes(setup));
      if (output.wantsJson) await output.json(files);
      else for (const { file, text } of files) await output.line(`--- ${file}\n${text}`);
      return;
    }
    const applied = flags.uninstall ? uninstall(setup, client, stateDir) : install(setup, client, stateDir);
    if (output.wantsJson) await output.json(applied);
    else for (const { file, change } of applied) await output.line(`${change}: ${file}`);
    if (applied.length === 0) await output.info('Nothing was installed here.');
  });
}
