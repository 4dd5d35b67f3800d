/** `pipeline sources list`: every source with how it has been doing. */
import { type Source, sourcesSchema } from '../../config/sources.js';
import type { SourceState } from '../../store/ledger.js';
import { type SourceHealth, silentDays, sourceHealth } from '../../store/source-state.js';
import { ledgerIfAny } from '../../workspace/server.js';
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
      const ledger = await ledgerIfAny(workspace);
      const now = workspace.clock.now();
      const rows: Row[] = [];
      for (const source of sources) {
        const state = await ledger?.sourceState(source.name);
        rows.push({ ...rowOf(source, state, now), health: sourceHealth(state, workspace.settings.sources, now) });
      }
      if (output.wantsJson) await output.json(rows);
      else await show(rows, output);
      return 0;
    },
    { readOnly: true },
  );
}

type Row = ReturnType<typeof rowOf> & { readonly health: SourceHealth };

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

function healthOf({ health, silent_days }: Row): string {
  const quiet = silent_days === null || silent_days === 0 ? undefined : `nothing new for ${silent_days} day(s)`;
  if (health === 'silent') return `silent: ${quiet}`;
  return health === 'ok' ? (quiet ?? 'ok') : health;
}
