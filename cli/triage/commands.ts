/** `triage` and its subcommands: what the keyboard interface does, also for scripts. */
import { ConfigError, suggest } from '../../runner/errors.js';
import type { LedgerRow } from '../../store/ledger.js';
import { findItem } from '../../workspace/find-item.js';
import { accept, reject, type TriageResult, undo } from '../../workspace/triage/actions.js';
import type { Feedback } from '../../workspace/triage/feedback.js';
import { openTriage, type Triage } from '../../workspace/triage/open.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommonOptions } from '../command.js';
import { rowJson } from '../ledger/filter.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { printReport } from '../run-report.js';
import { cell } from '../scoring/show.js';
import { pendingItems } from './items.js';
import { describe, triageSession } from './session.js';

export interface SelectFlags extends CommonOptions {
  readonly source?: string;
  readonly domain?: string;
  readonly all?: boolean;
}

/** The keyboard interface; on anything but a terminal, the list. */
export async function interactive(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  if (!process.stdin.isTTY || !process.stdout.isTTY || output.wantsJson) return list(flags);
  return withWorkspace(flags, (workspace) => triageOnTerminal(workspace, output));
}

/** Triage of an opened vault, with the index brought up to date afterwards. */
export async function triageOnTerminal(workspace: Workspace, output: Output): Promise<number> {
  const triage = await openTriage(workspace);
  await tellFeedback(await triage.learn(), output);
  const colour = process.env['NO_COLOR'] === undefined;
  const terminal = { input: process.stdin, screen: process.stdout, output, colour };
  const done = await triageSession(triage.tools, triage.domains, terminal);
  await output.line(`Triage: ${done.accepted} accepted, ${done.rejected} rejected.`);
  if (done.accepted + done.rejected > 0) await refresh(workspace, output);
  return 0;
}

export async function list(flags: SelectFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const ledger = await workspace.resources.use('ledger');
      const filter = flags.source === undefined ? {} : { source: flags.source };
      const items = await pendingItems(ledger, filter);
      for (const { row } of items) {
        if (output.wantsJson) await output.line(JSON.stringify(rowJson(row)));
        else
          await output.line(
            `${cell(row.scores?.composite)} ${(row.domain ?? '').padEnd(11)} ${row.title}  [${row.source}]\n     ${row.id}`,
          );
      }
      if (items.length === 0) await output.info('Nothing waits for review.');
      return 0;
    },
    { readOnly: true },
  );
}

export function acceptItems(names: readonly string[], flags: SelectFlags): Promise<number> {
  return act(names, flags, ({ tools, domains }, rows) => {
    if (flags.domain !== undefined && !domains.includes(flags.domain))
      throw new ConfigError('domain', `There is no domain "${flags.domain}".`, {
        remedy: suggest(flags.domain, domains),
      });
    return accept(tools, rows, flags.domain);
  });
}

export function rejectItems(names: readonly string[], flags: SelectFlags): Promise<number> {
  return act(names, flags, ({ tools }, rows) => reject(tools, rows));
}

export async function undoLast(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const { tools } = await openTriage(workspace);
    await finish(await undo(tools), workspace, output);
    return 0;
  });
}

async function act(
  names: readonly string[],
  flags: SelectFlags,
  work: (triage: Triage, rows: readonly LedgerRow[]) => Promise<TriageResult>,
): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const triage = await openTriage(workspace);
    await tellFeedback(await triage.learn(), output);
    const rows = await selected(triage, names, flags);
    const result = await work(triage, rows);
    await finish(result, workspace, output);
    return result.problems.length > 0 ? 1 : 0;
  });
}

/** The named items, or with `--source` or `--all` those that wait for review. */
async function selected({ tools }: Triage, names: readonly string[], flags: SelectFlags): Promise<LedgerRow[]> {
  const { ledger } = tools;
  if (names.length > 0) return Promise.all(names.map((name) => findItem(ledger, name)));
  if (flags.source === undefined && !flags.all)
    throw new ConfigError('nothing-selected', 'No item is named.', {
      remedy: 'Name items, or use --source NAME or --all for those that wait for review.',
    });
  const items = await pendingItems(ledger, flags.source === undefined ? {} : { source: flags.source });
  return items.map(({ row }) => row);
}

async function finish(result: TriageResult, workspace: Workspace, output: Output): Promise<void> {
  if (output.wantsJson) {
    const { action, rows, problems } = result;
    await output.json({ action, items: rows.map(rowJson), problems });
  } else await output.line(describe(result));
  if (result.rows.length > 0) await refresh(workspace, output);
}

/** Notes moved: the pipelines that follow intake (the index) run again. */
async function refresh(workspace: Workspace, output: Output): Promise<void> {
  for (const name of workspace.plan('ingest').followedBy) {
    const { report, followed } = await workspace.run(name);
    if (!output.wantsJson && (report.failed.length > 0 || output.verbose)) await printReport(output, report, followed);
  }
}

export async function tellFeedback({ moved, deleted, edited, doubt }: Feedback, output: Output): Promise<void> {
  if (moved + deleted + edited > 0)
    await output.info(`Learned from your notes: ${moved} moved, ${deleted} deleted, ${edited} edited.`);
  if (doubt !== undefined) await output.info(`note: ${doubt}`);
}
