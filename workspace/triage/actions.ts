/** What triage does to vault and ledger: accept, reject, and take the last action back. Each is one ledger change. */
import type { Vault } from '../../lib/vault/types.js';
import { PipelineError } from '../../runner/errors.js';
import type { Article, Signal } from '../../runner/items.js';
import type { Clock } from '../../runner/resources.js';
import type { FileChange, JournalEntry, Label, Ledger, LedgerRow } from '../../store/ledger.js';
import { declinedRow } from '../../store/ledger-row.js';
import { folderOf, type SignalFolders } from './places.js';
import { moveBaselines, readText, relocate } from './relocate.js';

export interface TriageTools {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly folders: SignalFolders;
  /** Writes the note of an item that has none; gives its path. */
  fileSignal(signal: Signal): Promise<string>;
}

/** An item that could not be dealt with, beside those that could. */
export interface TriageProblem {
  readonly id: string;
  readonly reason: string;
}

export interface TriageResult {
  readonly action: 'accept' | 'reject' | 'undo';
  /** For `undo`: what was taken back. */
  readonly undone?: 'accept' | 'reject';
  /** The rows as they are now. */
  readonly rows: readonly LedgerRow[];
  readonly problems: readonly TriageProblem[];
}

interface Step {
  readonly row: LedgerRow;
  readonly files: readonly FileChange[];
  readonly label: Label;
}

/**
 * Accepts items into a domain (their own when none is named): an existing note moves to the domain's folder and only
 * `domain` and `status` of its frontmatter change; an item without a note is filed from what the ledger keeps of it.
 */
export function accept(tools: TriageTools, rows: readonly LedgerRow[], domain?: string): Promise<TriageResult> {
  const at = new Date(tools.clock.now()).toISOString();
  return decide(tools, 'accept', rows, at, async (row) => {
    const into = domain ?? row.domain ?? 'other';
    const files = await moveOrFile(tools, row, into);
    const note = files.find((file) => file.after !== null)?.path;
    return {
      row: {
        ...row,
        outcome: 'written',
        domain: into,
        decidedBy: 'user',
        reason: `accepted by you into ${into}`,
        ...(note === undefined ? {} : { note }),
      },
      files,
      label: { id: row.id, at, kind: 'accepted', domain: into },
    };
  });
}

/** Rejects items: their notes leave the vault (undo brings them back) and they are not offered again. */
export function reject(tools: TriageTools, rows: readonly LedgerRow[]): Promise<TriageResult> {
  const at = new Date(tools.clock.now()).toISOString();
  return decide(tools, 'reject', rows, at, async (row) => {
    const before = row.note === undefined ? undefined : await readText(tools.vault, row.note);
    const files: FileChange[] = [];
    if (row.note !== undefined && before !== undefined) {
      await tools.vault.remove(row.note);
      files.push({ path: row.note, before, after: null });
    }
    return {
      row: declinedRow(row, 'rejected by you', row.lastSeen),
      files,
      label: { id: row.id, at, kind: 'rejected' },
    };
  });
}

/**
 * Takes the latest action back: files as they were, rows as they were, labels gone.
 * Throws `nothing-to-undo`, and `undo-conflict` when a file was changed since; nothing is touched then.
 */
export async function undo(tools: TriageTools): Promise<TriageResult> {
  const entry = await tools.ledger.lastAction();
  if (entry?.seq === undefined)
    throw new PipelineError('nothing-to-undo', 'There is no triage action to take back.', {
      remedy: 'Actions are kept until 200 newer ones were made.',
    });
  for (const { path, after } of entry.files) {
    if (((await readText(tools.vault, path)) ?? null) !== after)
      throw new PipelineError('undo-conflict', `${path} was changed since; undoing would lose that.`, {
        file: path,
        remedy: after === null ? 'Move the file away, then undo again.' : 'Undo by hand, or restore the file first.',
      });
  }
  for (const { path, before } of entry.files) if (before !== null) await tools.vault.write(path, before);
  for (const { path, before } of entry.files) if (before === null) await tools.vault.remove(path);
  await tools.ledger.apply({
    rows: entry.rows,
    removeLabels: entry.labels,
    written: entry.written.map(({ path, text }) => ({ path, text: text ?? undefined })),
    undone: entry.seq,
  });
  return { action: 'undo', undone: entry.action, rows: entry.rows, problems: [] };
}

async function decide(
  tools: TriageTools,
  action: 'accept' | 'reject',
  rows: readonly LedgerRow[],
  at: string,
  work: (row: LedgerRow) => Promise<Step>,
): Promise<TriageResult> {
  const { ledger } = tools;
  const before: LedgerRow[] = [];
  const steps: Step[] = [];
  const problems: TriageProblem[] = [];
  for (const row of rows) {
    try {
      steps.push(await work(row));
      before.push(row);
    } catch (error) {
      problems.push({ id: row.id, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  if (steps.length > 0) {
    const files = steps.flatMap((step) => step.files);
    const { written, was } = await moveBaselines(
      ledger,
      steps.map((step) => step.files),
    );
    const journal: JournalEntry = { at, action, rows: before, files, labels: steps.map((s) => s.label), written: was };
    await ledger.apply({ rows: steps.map((s) => s.row), labels: journal.labels, written, journal });
  }
  return { action, rows: steps.map((step) => step.row), problems };
}

async function moveOrFile(tools: TriageTools, row: LedgerRow, domain: string): Promise<readonly FileChange[]> {
  const { vault, folders } = tools;
  if (row.note === undefined || !(await vault.exists(row.note))) return [await fileFromLedger(tools, row, domain)];
  return relocate(vault, row.note, folderOf(folders, domain), { domain, status: 'active' });
}

async function fileFromLedger(tools: TriageTools, row: LedgerRow, domain: string): Promise<FileChange> {
  if (row.article === undefined)
    throw new PipelineError(
      'article-forgotten',
      `The text of "${row.title}" is no longer kept, so no note can be written.`,
      {
        remedy: row.url === undefined ? 'See `ledger.keepArticles`.' : `Capture ${row.url} again.`,
      },
    );
  const { notePath: _, ...article } = JSON.parse(row.article) as Article;
  const path = await tools.fileSignal({
    article: { ...article, key: row.id },
    ...(row.scores === undefined ? {} : { scores: row.scores }),
    domain,
    ...(row.domainSecond === undefined ? {} : { domainSecond: row.domainSecond }),
    decision: 'write',
    reason: `accepted by you into ${domain}`,
  });
  return { path, before: null, after: (await readText(tools.vault, path)) ?? '' };
}
