/** `pipeline replay`: judge stored items again under other rules, without fetching. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { RoutingFlags } from '../scoring/options.js';
import { parseSince } from './run.js';

interface ReplayFlags extends CommonOptions, RoutingFlags {
  readonly since?: string;
  readonly apply?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--preset <name>', 'named weights of scoring.yaml')
      .option('--weights <r/a/d/u>', 'relevance/actionability/depth/authority, e.g. 0.35/0.25/0.25/0.15')
      .option('--threshold <n>', 'write threshold, or write=0.6,review=0.2')
      .option('--since <when>', 'only items seen since a date (2026-01-31) or within an age (7d)')
      .option('--apply', 'move notes, file and store; without it nothing changes')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline replay --threshold 0.6\n  pipeline replay --weights 0.4/0.3/0.2/0.1 --since 30d --json\n  pipeline replay --threshold write=0.5,review=0.25 --apply',
      )
      .action(async (flags: ReplayFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

async function run(flags: ReplayFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { withFlags } = await import('../scoring/options.js');
  const { cell } = await import('../scoring/show.js');
  const { openTriage } = await import('../../workspace/triage/open.js');
  const { replay } = await import('../../workspace/triage/replay.js');
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const { tools, scorer, routing, learn } = await openTriage(workspace);
      if (flags.apply) await learn();
      const since = flags.since === undefined ? undefined : parseSince(flags.since, workspace.clock.now());
      const report = await replay(tools, scorer, {
        ...withFlags(routing, flags, scorer),
        apply: flags.apply ?? false,
        ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      });
      const { moves, problems } = report;
      if (output.wantsJson) await output.json({ applied: flags.apply ?? false, ...report });
      else {
        for (const move of moves) {
          const place = (outcome: string, domain: string | null) => (outcome === 'written' ? `${domain}` : outcome);
          const way = `${place(move.from, move.domain_before)} -> ${place(move.to, move.domain_after)}`;
          await output.line(`${cell(move.before ?? undefined)} ${cell(move.after)}  ${way.padEnd(26)} ${move.title}`);
        }
        for (const { id, reason } of problems) await output.info(`failed: ${id}: ${reason}`);
        const left = `${report.decided} decided by you, ${report.forgotten} no longer kept`;
        const verb = flags.apply ? 'changed place' : 'would change place; --apply does it';
        await output.line(`${report.scored} of ${report.items} scored again (${left}): ${moves.length} ${verb}.`);
      }
      if (flags.apply && moves.length > 0)
        for (const name of workspace.plan('ingest').followedBy) await workspace.run(name);
      return problems.length > 0 ? 1 : 0;
    },
    { readOnly: !flags.apply },
  );
}
