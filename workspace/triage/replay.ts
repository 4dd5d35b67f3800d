/** Scores what the ledger keeps again, under other weights, thresholds or lexicons, without fetching anything. */
import { decide, explainDecision } from '../../lib/scoring/route.js';
import type { Scorer } from '../../lib/scoring/scorer.js';
import { messageOf } from '../../runner/errors.js';
import type { Article, Scores } from '../../runner/items.js';
import type { LedgerRow, Outcome } from '../../store/ledger.js';
import type { Routing } from '../routing.js';
import type { TriageProblem, TriageTools } from './actions.js';
import { folderOf } from './places.js';
import { moveBaselines, relocate } from './relocate.js';

type Placed = 'written' | 'review' | 'skipped';

/** An item that would be somewhere else. */
export interface Move {
  readonly id: string;
  readonly title: string;
  readonly from: Outcome;
  readonly to: Placed;
  readonly before: number | null;
  readonly after: number;
  readonly domain_before: string | null;
  readonly domain_after: string;
  readonly note: string | null;
}

export interface ReplayReport {
  readonly items: number;
  /** Scored again. */
  readonly scored: number;
  /** Left alone because the user decided about them. */
  readonly decided: number;
  /** Left alone because their text is no longer kept. */
  readonly forgotten: number;
  readonly moves: readonly Move[];
  readonly problems: readonly TriageProblem[];
}

export interface ReplayOptions extends Routing {
  /** ISO 8601, on last_seen. */
  readonly since?: string;
  /** Move notes and store the new scores. */
  readonly apply?: boolean;
}

const PLACES = { write: 'written', review: 'review', skip: 'skipped' } as const;
const REPLAYED: readonly Outcome[] = ['written', 'review', 'skipped', 'unscored'];

export async function replay(tools: TriageTools, scorer: Scorer, options: ReplayOptions): Promise<ReplayReport> {
  const moves: Move[] = [];
  const problems: TriageProblem[] = [];
  const counts = { items: 0, scored: 0, decided: 0, forgotten: 0 };
  const filter = { outcome: REPLAYED, ...(options.since === undefined ? {} : { since: options.since }) };
  for await (const row of tools.ledger.list(filter)) {
    counts.items++;
    if (row.decidedBy !== undefined) counts.decided++;
    else if (row.article === undefined) counts.forgotten++;
    else {
      try {
        const next = rescored(row, JSON.parse(row.article) as Article, scorer, options);
        counts.scored++;
        const move = moveOf(row, next);
        if (move) moves.push(move);
        if (options.apply) await place(tools, row, next);
      } catch (error) {
        problems.push({ id: row.id, reason: messageOf(error) });
      }
    }
  }
  return { ...counts, moves, problems };
}

/** A row under the new rules; its note is where it was. */
interface Rescored {
  readonly row: LedgerRow & { readonly outcome: Placed; readonly domain: string; readonly scores: Scores };
  readonly article: Article;
}

function rescored(row: LedgerRow, article: Article, scorer: Scorer, { weights, thresholds }: Routing): Rescored {
  const { scores, domain } = scorer.score(article, weights);
  const decision = decide(scores.composite, thresholds);
  const { domainSecond: _, ...rest } = row;
  return {
    article,
    row: {
      ...rest,
      scores,
      domain: domain.domain,
      ...(domain.second === undefined ? {} : { domainSecond: domain.second }),
      outcome: PLACES[decision],
      reason: explainDecision(scores, decision, domain.domain),
    },
  };
}

function moveOf(old: LedgerRow, { row }: Rescored): Move | undefined {
  const isMoved = old.outcome !== row.outcome || (row.outcome === 'written' && old.domain !== row.domain);
  if (!isMoved) return undefined;
  return {
    id: old.id,
    title: old.title,
    from: old.outcome,
    to: row.outcome,
    before: old.scores?.composite ?? null,
    after: row.scores.composite,
    domain_before: old.domain ?? null,
    domain_after: row.domain,
    note: old.note ?? null,
  };
}

/**
 * Puts an item where it belongs now. No note is ever deleted: one that would be skipped goes to the inbox, for the
 * user to decide about.
 */
async function place(tools: TriageTools, old: LedgerRow, { row, article }: Rescored): Promise<void> {
  const { ledger, vault, folders } = tools;
  if (old.note === undefined || !(await vault.exists(old.note))) {
    if (row.outcome === 'skipped') return ledger.apply({ rows: [row] });
    const decision = row.outcome === 'written' ? 'write' : 'review';
    const signal = { article: { ...article, key: row.id }, scores: row.scores, domain: row.domain, decision } as const;
    const note = await tools.fileSignal({ ...signal, reason: row.reason ?? '' });
    return ledger.apply({ rows: [{ ...row, note }] });
  }
  const outcome = row.outcome === 'skipped' ? 'review' : row.outcome;
  const isWritten = outcome === 'written';
  const folder = isWritten ? folderOf(folders, row.domain) : folders.review;
  const belonging = { domain: row.domain, status: isWritten ? 'active' : 'draft' } as const;
  const files = await relocate(vault, old.note, folder, belonging);
  const note = files.find((file) => file.after !== null)?.path ?? old.note;
  const { written } = await moveBaselines(ledger, [files]);
  return ledger.apply({ rows: [{ ...row, outcome, note }], written });
}
