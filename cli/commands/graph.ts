/** `pipeline graph`: orphans, broken links, tag sprawl, link-only notes, oversized chunks. */
import type { Command } from 'commander';
import type { GraphReport } from '../../workspace/graph.js';
import type { CommandModule, CommonOptions } from '../command.js';
import type { Output } from '../output.js';

interface GraphFlags extends CommonOptions {
  readonly limit: string;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--limit <n>', 'findings shown of each kind (--json shows all)', '10')
      .addHelpText('after', '\nExamples:\n  pipeline graph\n  pipeline graph --json | jq .broken')
      .action(async (flags: GraphFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

async function run(flags: GraphFlags): Promise<number> {
  const { ConfigError } = await import('../../runner/errors.js');
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 0)
    throw new ConfigError('limit', `--limit "${flags.limit}" is not a whole number.`, { remedy: 'Write --limit 20.' });
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { chunkLimit } = await import('../../workspace/index-status.js');
  const { graphReport } = await import('../../workspace/graph.js');
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const report = await graphReport(await workspace.resources.use('store'), chunkLimit(workspace.plan('index')));
      if (output.wantsJson) await output.json(report);
      else await print(output, report, limit);
      return 0;
    },
    { readOnly: true },
  );
}

async function print(output: Output, report: GraphReport, limit: number): Promise<void> {
  await output.line(`${report.notes} notes, ${report.links} links between notes`);
  const { count, usedOnce, top } = report.tags;
  await output.line(
    `${count} tags, ${usedOnce} used once${count > 50 ? ' (20 to 50 are easier to keep in mind)' : ''}`,
  );
  if (top.length > 0)
    await output.line(
      `  ${top
        .slice(0, limit)
        .map(([tag, n]) => `${tag} ${n}`)
        .join(', ')}`,
    );
  const lists: [string, readonly string[]][] = [
    ['broken links', report.broken.map(({ from, line, target }) => `${from}:${line} -> ${target}`)],
    ['orphans', report.orphans],
    ['notes of links only', report.linkOnly],
    [
      'oversized chunks',
      report.oversized.map((o) => `${o.path}:${o.lines[0]}-${o.lines[1]} (${o.characters} characters)`),
    ],
  ];
  for (const [name, entries] of lists) {
    await output.line(`${entries.length} ${name}`);
    for (const entry of entries.slice(0, limit)) await output.line(`  ${entry}`);
    if (entries.length > limit && limit > 0) await output.line(`  … and ${entries.length - limit} more`);
  }
}
