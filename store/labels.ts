/** What the user's judgements say: the latest label of each item, and how each source fared. */
import type { SourceHistory } from '../lib/scoring/authority.js';
import type { Label, Ledger, LedgerRow } from './ledger.js';

/** A label together with the row it judges. */
export interface Judged {
  readonly row: LedgerRow;
  readonly label: Label;
  /** True when the user wanted the item: accepted, moved to another folder, or edited. */
  readonly kept: boolean;
}

/** Whether a label means that the user wanted the item. */
export function isKept(label: Label): boolean {
  return label.kind !== 'rejected' && label.kind !== 'deleted';
}

/** The latest label of every judged item whose row still exists, in the order of judgement. */
export async function judgements(ledger: Ledger): Promise<Judged[]> {
  const latest = new Map<string, Label>();
  for await (const label of ledger.labels()) {
    latest.delete(label.id);
    latest.set(label.id, label);
  }
  const judged: Judged[] = [];
  for (const [id, label] of latest) {
    const row = await ledger.get(id);
    if (row) judged.push({ row, label, kept: isKept(label) });
  }
  return judged;
}

/** Kept and discarded items per source name; with `since` (ISO 8601) only by judgements from then on. */
export async function sourceHistory(ledger: Ledger, since = ''): Promise<Map<string, SourceHistory>> {
  const history = new Map<string, { kept: number; discarded: number }>();
  for (const { row, kept, label } of await judgements(ledger)) {
    if (label.at < since) continue;
    const past = history.get(row.source) ?? { kept: 0, discarded: 0 };
    if (kept) past.kept++;
    else past.discarded++;
    history.set(row.source, past);
  }
  return history;
}
