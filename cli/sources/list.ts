/** `pipeline sources list`: every source with how it has been doing. */
import { existsSync } from 'node:fs';
import { type Source, sourcesSchema } from '../../config/sources.js';
import type { SourceState } from '../../store/ledger.js';
import { silentDays } from '../../store/source-state.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';

export async function list(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const sources = workspace.config('sources', sourcesSchema);
      // Before the first run there is no ledger, and a reader makes none.
      const ledger = existsSync(workspace.ledgerFile) ? await workspace.resources.use('ledger') : undefined;
      const now = workspace.clock.now();
      const rows: Row[] = [];
      for (const source of sources) rows.push(rowOf(source, await ledger?.sourceState(source.name), now));
      if (output.wantsJson) await output.json(rows);
      else await show(rows, output);
      return 0;
    },
    { readOnly: true },
  );
}

type Row = ReturnType<typeof rowOf>;

function rowOf({ name, kind, url, category, enabled }: Source, state: SourceState | undefined, now: number) {
  return {
    name,
    kind,
    url,
    last_ok: state?.lastOk ?? null,
    last_error: state?.lastError ?? null,
    failures: state?.failures ?? 0,
    silent_days: silentDays(state, now) ?? null,
    items: state?.items ?? 0,
    paused_until: state?.pausedUntil ?? null,
    category: category ?? null,
    enabled,
  };
}

async function show(rows: readonly Row[], output: Output): Promise<void> {
  if (rows.length === 0) await output.info('No sources yet. Add one: pipeline sources add URL');
  for (const row of rows) {
    const state = row.enabled ? healthOf(row) : 'off';
    await output.line(`${row.name}  (${row.kind}, ${row.items} items, ${state})`);
    await output.line(`  ${row.url}`);
    if (row.last_error !== null) {
      const until = row.paused_until === null ? '' : `; rests until ${row.paused_until}`;
      await output.line(`  failed ${row.failures} time(s) in a row: ${row.last_error}${until}`);
    }
  }
}

function healthOf({ failures, silent_days, last_ok }: Row): string {
  if (failures > 0) return 'failing';
  if (last_ok === null) return 'never read';
  return silent_days === null || silent_days === 0 ? 'ok' : `nothing new for ${silent_days} day(s)`;
}
