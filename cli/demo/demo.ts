/** Runs the demo and tells what happened: what came in, where it went and why, a second run, three searches. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packagePath } from '../../lib/package-root.js';
import { ConfigError } from '../../runner/errors.js';
import { makeItem } from '../../runner/items.js';
import type { LedgerRow, Outcome } from '../../store/ledger.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { summaryLine } from '../run-report.js';
import { prepareDemoVault } from './prepare.js';
import { serveSamples } from './server.js';

const QUERIES = ['rotate refresh tokens', 'how do I avoid losing data on power failure', 'CVE-2026-10417'];
const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['written', 'Filed in a domain folder'],
  ['review', 'Waiting in 00-inbox for review'],
  ['skipped', 'Skipped'],
  ['duplicate', 'Duplicates'],
  ['failed', 'Failed'],
  ['unscored', 'Not scored'],
];

export interface DemoOptions extends CommonOptions {
  readonly keep?: string;
}

/** Returns the exit code: 0 when the demo did what it shows, whatever the broken sample feed did. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const output = new Output(options);
  const keep = options.keep === undefined ? undefined : resolve(options.keep);
  if (keep !== undefined && existsSync(keep) && readdirSync(keep).length > 0) {
    throw new ConfigError('demo-folder', `${keep} is not empty.`, { remedy: 'Name a new folder.' });
  }
  const scratch = keep === undefined ? mkdtempSync(join(tmpdir(), 'sluice-demo-')) : undefined;
  const vault = keep ?? join(scratch ?? '', 'vault');
  const server = await serveSamples(packagePath('fixtures', 'demo'));
  try {
    prepareDemoVault(vault, packagePath('fixtures', 'demo'), server.base);
    const extra = scratch === undefined ? {} : { stateDir: join(scratch, 'state') };
    await withWorkspace({ vault }, (workspace) => tell(workspace, output), extra);
    await output.line(
      keep
        ? `\nThe vault is in ${keep}. Try: pipeline search "prompt cache" --vault ${keep}`
        : '\nThe vault was temporary; `pipeline demo --keep DIR` keeps it.',
    );
  } finally {
    await server.close();
    if (scratch) rmSync(scratch, { recursive: true, force: true });
  }
  return 0;
}

/** A new vault has no past: an index or ledger left by an earlier vault in the same place is not its own. */
function forgetEarlierState({ dbFile, ledgerFile }: Workspace): void {
  for (const file of [dbFile, ledgerFile])
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

async function tell(workspace: Workspace, output: Output): Promise<void> {
  forgetEarlierState(workspace);
  await output.line('1. Intake: `pipeline run ingest`\n');
  const first = await workspace.run('ingest');
  for (const report of [first.report, ...first.followed]) await output.line(`   ${summaryLine(report)}`);
  for (const { id, reason } of first.report.failed) await output.line(`   could not read ${id}: ${reason}`);
  await tellLedger(workspace, output);

  await output.line('\n2. The same again: nothing is new, nothing is written\n');
  const second = await workspace.run('ingest');
  for (const report of [second.report, ...second.followed]) await output.line(`   ${summaryLine(report)}`);

  await output.line('\n3. Search');
  for (const text of QUERIES) {
    const { items, report } = await workspace.ask<'Hit'>('search', makeItem('Query', { text, filter: {}, limit: 3 }));
    await output.line(`\n   $ pipeline search "${text}"`);
    for (const { data } of items.slice(0, 3)) {
      await output.line(`   ${data.path}${data.section ? `  > ${data.section}` : ''}  (lines ${data.lines.join('-')})`);
      await output.line(`      ${data.text.replace(/\s+/g, ' ').slice(0, 110)}…`);
    }
    for (const { message } of report.notices) await output.line(`   note: ${message}`);
  }
}

async function tellLedger(workspace: Workspace, output: Output): Promise<void> {
  const ledger = await workspace.resources.use('ledger');
  const rows: LedgerRow[] = [];
  for await (const row of ledger.list({})) rows.push(row);
  for (const [outcome, heading] of OUTCOMES) {
    const group = rows
      .filter((row) => row.outcome === outcome)
      .sort((a, b) => (b.scores?.composite ?? 0) - (a.scores?.composite ?? 0));
    if (group.length === 0) continue;
    await output.line(`\n   ${heading} (${group.length})`);
    for (const row of group) {
      const score = row.scores === undefined ? '    ' : row.scores.composite.toFixed(2);
      await output.line(`   ${score}  ${row.title.slice(0, 70)}`);
      await output.line(`         ${row.note ? `-> ${row.note}` : (row.reason ?? '')}`);
    }
  }
}
