/** `pipeline capture`: keep a text as a note; searchable in the same second. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface CaptureFlags extends CommonOptions {
  readonly title?: string;
  readonly domain?: string;
  readonly tags?: string;
  readonly url?: string;
  readonly by?: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[text]', 'the text; read from stdin when absent')
      .option('--title <title>', 'default: the first line')
      .option('--domain <domain>', 'e.g. security', 'other')
      .option('--tags <a,b>', 'comma-separated tags')
      .option('--url <url>', 'where it comes from')
      .option('--by <agent>', 'written by an agent: goes to agent_learnings/, marked as unreviewed')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline capture "Retry 429s with the server\'s own delay" --domain programming --tags http,retry\n  pbpaste | pipeline capture --title "Meeting notes"',
      )
      .action(keep);
  },
};

async function keep(given: string | undefined, flags: CaptureFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { readStdin } = await import('../stdin.js');
  const { capture } = await import('../../workspace/capture.js');
  const output = new Output(flags);
  const text = given ?? (await readStdin());
  const tags = (flags.tags ?? '')
    .split(',')
    .map((t) => t.trim().replace(/^#/, ''))
    .filter((t) => t !== '');
  await withWorkspace(flags, async (workspace) => {
    const { path, change } = await capture(workspace, {
      text,
      tags,
      ...(flags.title === undefined ? {} : { title: flags.title }),
      ...(flags.domain === undefined ? {} : { domain: flags.domain }),
      ...(flags.url === undefined ? {} : { url: flags.url }),
      ...(flags.by === undefined ? {} : { by: flags.by }),
    });
    if (output.wantsJson) await output.json({ path, change });
    else await output.line(change === 'unchanged' ? `Already kept in ${path}` : `Kept in ${path}`);
  });
}
