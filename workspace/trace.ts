/** The whole way of an item, from its source to its chunks, or to where it stopped; from either end. */
import { ConfigError } from '../runner/errors.js';
import type { TrailEntry } from '../runner/items.js';
import type { Label, Ledger, LedgerRow } from '../store/ledger.js';
import type { ChunkStore } from '../store/types.js';
import { findItem } from './find-item.js';

/** CLI.md. `id` is null for a note that no source brought. */
export interface Trace {
  readonly id: string | null;
  readonly title: string;
  readonly outcome: LedgerRow['outcome'] | null;
  readonly steps: readonly TrailEntry[];
  readonly note: string | null;
  readonly chunks: readonly { id: number; section: string; lines: readonly [number, number] }[];
}

/** `what` is a note path, URL, id or part of a title. Throws `ConfigError` (`unknown-item`, `ambiguous-item`). */
export async function trace(what: string, ledger: Ledger | undefined, store: ChunkStore | undefined): Promise<Trace> {
  const path = what.replace(/^\.\//, '');
  const row = await rowOf(what, ledger).catch(async (error: unknown) => {
    // A note written by hand has chunks but no origin.
    if (error instanceof ConfigError && error.code === 'unknown-item' && (await store?.note(path))) return undefined;
    throw error;
  });
  const note = row ? row.note : path;
  const chunks = note === undefined ? [] : ((await store?.chunksOf(note)) ?? []);
  return {
    id: row?.id ?? null,
    title: row?.title ?? path,
    outcome: row?.outcome ?? null,
    steps: row ? await stepsOf(row, ledger) : [],
    note: note ?? null,
    chunks: chunks.map(({ id, section, lines }) => ({ id, section, lines })),
  };
}

async function rowOf(what: string, ledger: Ledger | undefined): Promise<LedgerRow> {
  if (ledger) return findItem(ledger, what);
  throw new ConfigError('unknown-item', `There is no ledger that could know "${what}".`, {
    remedy: 'Run `pipeline run ingest` first.',
  });
}

/** Source, trail, outcome and the user's judgements, in the order of time. */
async function stepsOf(row: LedgerRow, ledger: Ledger | undefined): Promise<TrailEntry[]> {
  const trail = row.trail === undefined ? [] : (JSON.parse(row.trail) as TrailEntry[]);
  const labels: Label[] = [];
  if (ledger) for await (const label of ledger.labels()) if (label.id === row.id) labels.push(label);
  const origin = row.url === undefined ? row.source : `${row.source}: ${row.url}`;
  const scores = row.scores;
  const parts = scores
    ? `; relevance ${scores.relevance}, actionability ${scores.actionability}, depth ${scores.depth}, authority ${scores.authority}`
    : '';
  return [
    { stage: 'source', at: row.firstSeen, what: `first seen in ${origin}` },
    ...trail,
    {
      stage: 'ledger',
      at: trail.at(-1)?.at ?? row.lastSeen,
      what: `${row.outcome}: ${row.reason ?? 'no reason given'}${parts}`,
    },
    ...labels.map(({ at, kind, domain }) => ({
      stage: 'you',
      at,
      what: domain === undefined ? kind : `${kind} (${domain})`,
    })),
  ];
}
