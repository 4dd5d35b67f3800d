/** What came in since a time: from the ledger, the run records and the fetch states. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourcesSchema } from '../config/sources.js';
import { digest, type IntakeReport, type ReportItem } from '../lib/report/digest.js';
import { writeAtomic } from '../lib/vault/atomic-write.js';
import type { LedgerRow } from '../store/ledger.js';
import { ScheduleHistory } from './schedule.js';
import { ledgerIfAny } from './server.js';
import type { Workspace } from './workspace.js';

/** Collects the report. Items count when they were first seen, so that a repeat is not news. */
export async function intakeReport(workspace: Workspace, sinceMs: number): Promise<IntakeReport> {
  const since = new Date(sinceMs).toISOString();
  const outcomes: Record<string, number> = {};
  const domains = new Map<string, ReportItem[]>();
  const review: ReportItem[] = [];
  const failed: { what: string; reason: string }[] = [];
  const ledger = await ledgerIfAny(workspace);
  for await (const row of ledger?.list({ since }) ?? []) {
    if (row.firstSeen < since) continue;
    outcomes[row.outcome] = (outcomes[row.outcome] ?? 0) + 1;
    if (row.outcome === 'written')
      domains.set(row.domain ?? 'other', [...(domains.get(row.domain ?? 'other') ?? []), itemOf(row)]);
    if (row.outcome === 'review') review.push(itemOf(row));
    if (row.outcome === 'failed' || row.outcome === 'unscored')
      failed.push({ what: row.title || row.id, reason: row.reason ?? row.outcome });
  }
  for (const { name } of ledger ? workspace.config('sources', sourcesSchema) : []) {
    const state = await ledger?.sourceState(name);
    if (state && state.failures > 0)
      failed.push({ what: `source ${name}`, reason: state.lastError ?? `failed ${state.failures} times in a row` });
  }
  const runs: Record<string, number> = {};
  for (const { due, status, job, reason } of new ScheduleHistory(workspace).read()) {
    if (due < since) continue;
    runs[status] = (runs[status] ?? 0) + 1;
    if (status === 'failed') failed.push({ what: `run ${job} of ${due}`, reason: reason ?? '' });
  }
  return {
    since,
    until: new Date(workspace.clock.now()).toISOString(),
    outcomes,
    domains: [...domains]
      .map(([domain, items]) => ({ domain, items: items.sort(bestFirst) }))
      .sort((a, b) => b.items.length - a.items.length || (a.domain < b.domain ? -1 : 1)),
    review: review.sort(bestFirst),
    failed,
    runs,
  };
}

/** Writes the digest as a note, scrubbed like every note of ours; the note of the same day is replaced. */
export async function writeDigest(workspace: Workspace, report: IntakeReport): Promise<string> {
  const day = report.until.slice(0, 10);
  const path = `05-signals/digests/${day}.md`;
  const text = `---\ntitle: Intake ${report.since.slice(0, 10)} to ${day}\ntype: digest\ncreated: ${day}\n---\n\n${digest(report)}`;
  const scrubber = await workspace.resources.use('scrubber');
  await mkdir(dirname(join(workspace.vaultDir, path)), { recursive: true });
  await writeAtomic(join(workspace.vaultDir, path), scrubber.scrub(text).text);
  return path;
}

function itemOf({ title, source, url, note, scores }: LedgerRow): ReportItem {
  return {
    title,
    source,
    ...(url === undefined ? {} : { url }),
    ...(note === undefined ? {} : { note }),
    ...(scores === undefined ? {} : { composite: scores.composite }),
  };
}

function bestFirst(a: ReportItem, b: ReportItem): number {
  return (b.composite ?? 0) - (a.composite ?? 0) || (a.title < b.title ? -1 : 1);
}
