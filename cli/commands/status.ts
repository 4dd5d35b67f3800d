/** `pipeline status`: what the index holds, when it was last brought up to date, what waits. */
import type { Command } from 'commander';
import type { IndexStatus } from '../../workspace/index-status.js';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .addHelpText('after', '\nExamples:\n  pipeline status\n  pipeline status --vault ~/notes --json')
      .action(async (flags: CommonOptions) => {
        process.exitCode = await run(flags);
      });
  },
};

async function run(flags: CommonOptions): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { indexStatus } = await import('../../workspace/index-status.js');
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const status = await indexStatus(workspace);
      if (output.wantsJson) await output.json(status);
      else {
        const { embedding, pending, model } = status;
        const waiting = `${pending.new} new, ${pending.changed} changed, ${pending.deleted} deleted`;
        const rows = [
          ['vault', status.vault],
          ['index', `${status.db} (${(status.bytes / 1e6).toFixed(1)} MB)`],
          ['notes', `${status.notes} in ${status.chunks} chunks, ${status.links} links`],
          ['vectors', model ? `${status.vectors} by ${model.id} (${model.dimensions} dimensions)` : 'none'],
          ...(embedding
            ? [
                [
                  'coming',
                  `${embedding.model}: ${embedding.done}/${embedding.total} notes; go on with \`pipeline models use ${embedding.model}\``,
                ],
              ]
            : []),
          ['classes', classes(status.sensitivity)],
          ['last run', status.last_run ?? 'never finished'],
          ['pending', pending.new + pending.changed + pending.deleted === 0 ? 'nothing' : waiting],
        ];
        for (const [name = '', value = ''] of rows) await output.line(`${name.padEnd(10)}${value}`);
      }
      return 0;
    },
    { readOnly: true },
  );
}

/** `16894 internal, 3 secret; mcp, http and hook see up to internal, cli up to secret`. */
function classes({ notes, ceilings }: IndexStatus['sensitivity']): string {
  const held = Object.entries(notes).filter(([, n]) => n > 0);
  const ways = Object.entries(ceilings).map(([way, ceiling]) => `${way} ${ceiling}`);
  return `${held.map(([name, n]) => `${n} ${name}`).join(', ') || 'no notes'}; shown up to: ${ways.join(', ')}`;
}
