/** Learns from what the user did to notes by hand: moves, deletions and edits become labels, and the ledger follows. */
import { NoteFinder } from '../../lib/note/note-finder.js';
import { exactText } from '../../lib/note/text.js';
import type { Vault } from '../../lib/vault/types.js';
import type { Clock } from '../../runner/resources.js';
import type { Label, Ledger, LedgerChange, LedgerRow } from '../../store/ledger.js';
import { declinedRow } from '../../store/ledger-row.js';
import { domainOfPath, type SignalFolders } from './places.js';

export interface FeedbackTools {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly folders: SignalFolders;
  readonly domains: readonly string[];
  /** Share of the known notes that may be gone at once; more looks like a vault that is not all there. */
  readonly deleteThreshold: number;
}

export interface Feedback {
  readonly moved: number;
  readonly deleted: number;
  readonly edited: number;
  /** Why deletions were not believed, when they were not. */
  readonly doubt?: string;
}

/** Up to this many missing notes are believed whatever their share. */
const FEW = 5;

/**
 * Compares every note the ledger knows with the vault. A note found elsewhere by its `id` was moved, one found nowhere
 * was deleted, one whose text differs from what was written was edited. Each is recorded once.
 */
export async function detectFeedback(tools: FeedbackTools): Promise<Feedback> {
  const { ledger, vault } = tools;
  const at = new Date(tools.clock.now()).toISOString();
  const edited = new Set<string>();
  for await (const { id, kind } of ledger.labels()) if (kind === 'edited') edited.add(id);
  const missing: LedgerRow[] = [];
  const changes: LedgerChange[] = [];
  let known = 0;
  for await (const row of ledger.list({ hasNote: true })) {
    if (row.note === undefined) continue;
    known++;
    if (!(await vault.exists(row.note))) missing.push(row);
    else if (!edited.has(row.id) && (await isEdited(row.note, tools)))
      changes.push({ labels: [{ id: row.id, at, kind: 'edited', ...domainField(row.domain) }] });
  }
  const counts = { moved: 0, deleted: 0, edited: changes.length };
  const finder = new NoteFinder(vault, []);
  const gone: LedgerRow[] = [];
  for (const row of missing) {
    const path = await finder.findAnywhere(row.id);
    if (path === undefined) gone.push(row);
    else {
      counts.moved++;
      changes.push(await movedChange(row, path, at, tools));
    }
  }
  const isDoubtful = gone.length > FEW && gone.length > tools.deleteThreshold * known;
  if (!isDoubtful) {
    counts.deleted = gone.length;
    for (const row of gone) changes.push(deletedChange(row, at));
  }
  for (const change of changes) await ledger.apply(change);
  if (!isDoubtful) return counts;
  const doubt = `${gone.length} of ${known} known notes are missing; they are not taken as deleted (is the whole vault there?)`;
  return { ...counts, doubt };
}

/** Text differs from what was written last; what cannot be compared is not an edit. */
async function isEdited(path: string, { ledger, vault }: FeedbackTools): Promise<boolean> {
  const last = await ledger.lastWritten(path);
  return last !== undefined && exactText(await vault.read(path)) !== last;
}

async function movedChange(row: LedgerRow, path: string, at: string, tools: FeedbackTools): Promise<LedgerChange> {
  const domain = domainOfPath(tools.folders, path, tools.domains);
  const base = row.note === undefined ? undefined : await tools.ledger.lastWritten(row.note);
  const isPending = domain === undefined && path.startsWith(`${tools.folders.review}/`);
  const moved: LedgerRow = {
    ...row,
    note: path,
    ...domainField(domain ?? row.domain),
    ...(isPending ? {} : { outcome: 'written', decidedBy: 'user', reason: `you moved it to ${path}` }),
  };
  const label: Label = { id: row.id, at, kind: 'moved', ...domainField(domain) };
  return {
    rows: [moved],
    // Renamed inside the inbox says nothing yet.
    labels: isPending ? [] : [label],
    ...(row.note === undefined || base === undefined
      ? {}
      : {
          written: [
            { path: row.note, text: undefined },
            { path, text: base },
          ],
        }),
  };
}

function deletedChange(row: LedgerRow, at: string): LedgerChange {
  return {
    rows: [declinedRow(row, 'you deleted its note', row.lastSeen)],
    labels: [{ id: row.id, at, kind: 'deleted' }],
    ...(row.note === undefined ? {} : { written: [{ path: row.note, text: undefined }] }),
  };
}

function domainField(domain: string | undefined): { domain?: string } {
  return domain === undefined ? {} : { domain };
}
