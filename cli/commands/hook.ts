/** `pipeline hook`: for Claude Code and Codex; JSON on stdin, JSON on stdout, exit 0 always. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { HookName } from '../hooks/run.js';

const HOOKS: Readonly<Record<HookName, string>> = {
  context: 'PreToolUse of Edit, Write and Bash: inject what the vault knows, if it knows anything',
  capture: 'PostToolUse: keep outputs over 500 characters in agent_learnings/',
  session: 'SessionStart: inject the prompt-cache blocks, within session.blocks tokens',
  compress: 'PostToolUse: outputs over 2,000 characters in a few lines, the whole kept in a file',
};

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText(
      'after',
      '\nExamples:\n  pipeline install claude-code --hooks            # registers them\n  echo \'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"psql upgrade"}}\' | pipeline hook context',
    );
    for (const [name, summary] of Object.entries(HOOKS)) {
      command
        .command(name)
        .description(summary)
        .addHelpText('after', `\nExamples:\n  pipeline hook ${name} --vault ~/notes < event.json`)
        .action(async (flags: CommonOptions) => {
          const { readStdin } = await import('../stdin.js');
          const { runHook } = await import('../hooks/run.js');
          const { Output } = await import('../output.js');
          const answer = await runHook(name as HookName, await readStdin().catch(() => ''), flags);
          await new Output(flags).line(answer);
          process.exitCode = 0;
        });
    }
  },
};
