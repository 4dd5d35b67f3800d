/** What `run ingest` ends with on a terminal: what came in for review, and the question whether to go through it now. */
import { createInterface } from 'node:readline/promises';
import { type Plan, stageSteps } from '../../runner/plan.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommonOptions } from '../command.js';
import type { Output } from '../output.js';
import { cell } from '../scoring/show.js';
import { pendingItems } from './items.js';

/** Items named in the offer; the interface shows them all. */
const NAMED = 5;

/** Only where somebody can answer: never for scripts, cron, --json and --quiet. */
export async function offerTriage(
  plan: Plan,
  workspace: Workspace,
  flags: CommonOptions,
  output: Output,
): Promise<void> {
  const someone = process.stdin.isTTY && process.stdout.isTTY && !flags.json && !flags.quiet;
  const routes = [...stageSteps(plan.steps)].some(({ stage }) => stage.name === 'route');
  if (!someone || !routes) return;
  const items = await pendingItems(await workspace.resources.use('ledger'));
  if (items.length === 0) return;
  await output.line(`\n${items.length} item${items.length === 1 ? ' waits' : 's wait'} for review:`);
  for (const { row } of items.slice(0, NAMED))
    await output.line(
      `  ${cell(row.scores?.composite)} ${(row.domain ?? 'other').padEnd(11)} ${row.title}  [${row.source}]`,
    );
  if (items.length > NAMED) await output.line(`  and ${items.length - NAMED} more`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Go through them now? [y/N] ').finally(() => prompt.close());
  if (!/^(?:y|yes|o|oui|t|tak)$/i.test(answer.trim())) return;
  const { triageOnTerminal } = await import('./commands.js');
  await triageOnTerminal(workspace, output);
}
