/** Turns what became of an item in a run into its ledger row, and keeps what an earlier run knew better. */
import { createHash } from 'node:crypto';
import type { Scrubber } from '../lib/secrets/types.js';
import { messageOf, PipelineError } from '../runner/errors.js';
import type { Article, Item, Signal, WrittenNote } from '../runner/items.js';
import type { Ledger, LedgerRow, Outcome } from './ledger.js';

/** How an item left a run: the runner's `Settled` event has this shape. */
export interface RowEvent {
  readonly item: Item;
  readonly outcome: 'out' | 'dropped' | 'failed';
  readonly stage: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly error?: unknown;
}

export interface RowOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cleans every text that goes into the row: an item may leave the run before its own `scrub` step. */
  readonly scrubber?: Pick<Scrubber, 'scrubValue'>;
  /** Every identity the item answers to (guid, URL, title+content), for later `Ledger.find`; default: what `dedupe` set. */
  readonly aliases?: (article: Article) => readonly string[];
}

/** Drop reasons that mean "there is already an item like this one": a copy of it, or the item itself once more. */
const REPEATS: ReadonlySet<string> = new Set(['duplicate', 'seen', 'unchanged']);

function isRepeat(reason: string | undefined): boolean {
  return reason === 'seen' || reason === 'unchanged';
}

interface Subject {
  readonly article: Article;
  readonly signal?: Signal;
  readonly note?: string;
}

/**
 * The row for an item that left the run, or undefined when the item is not something that was taken in (a vault file,
 * a query). Pure: the same event and time give the same row.
 */
export function rowFor(event: RowEvent, options: RowOptions): LedgerRow | undefined {
  const subject = subjectOf(event.item);
  if (!subject) return undefined;
  const clean = <T>(value: T): T => options.scrubber?.scrubValue(value) ?? value;
  const { article, signal } = subject;
  const at = new Date(options.now).toISOString();
  const outcome = outcomeOf(event, signal);
  if (!outcome) return undefined;
  const aliases = options.aliases?.(article) ?? article.aliases ?? [];
  const url = article.canonicalUrl ?? article.url;
  const reason = reasonOf(event, signal, outcome);
  const stored = clean(article);
  // A repeat is dropped before its page is fetched: what the first one stored is better than this.
  const keepArticle = outcome !== 'duplicate';
  return {
    id: article.key ?? event.item.id,
    source: clean(article.source.name),
    ...(url === undefined ? {} : { url: clean(url) }),
    title: clean(article.title),
    outcome,
    ...(signal?.scores === undefined ? {} : { scores: signal.scores }),
    ...(signal === undefined ? {} : { domain: signal.domain }),
    ...(signal?.domainSecond === undefined ? {} : { domainSecond: signal.domainSecond }),
    ...(subject.note === undefined ? {} : { note: subject.note }),
    ...(reason === undefined ? {} : { reason: clean(reason) }),
    firstSeen: at,
    lastSeen: at,
    ...(keepArticle ? { contentHash: contentHash(article), article: JSON.stringify(stored) } : {}),
    trail: JSON.stringify(clean(event.item.trail)),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}

/**
 * Records what became of an item. What an earlier run or the user knew better stays: seeing an item again, or failing
 * to update it, does not turn a filed note into a duplicate or a failure.
 */
export async function recordItem(ledger: Ledger, event: RowEvent, options: RowOptions): Promise<LedgerRow | undefined> {
  const row = rowFor(event, options);
  if (!row) return undefined;
  const known = await ledger.get(row.id);
  if (known && event.reason === 'note-deleted') {
    const declined = declinedRow(known, 'you deleted its note', row.lastSeen);
    await ledger.apply({ rows: [declined], labels: [{ id: row.id, at: row.lastSeen, kind: 'deleted' }] });
    return declined;
  }
  const isCopy = row.outcome === 'duplicate' && !isRepeat(event.reason);
  const recorded = isCopy ? copyRow(row) : mergeRow(known, row);
  await ledger.put(recorded);
  return recorded;
}

/**
 * A copy of a known item, from another source or under another address, has a row of its own, so that it can be
 * listed and traced. Its aliases stay with the item: they must go on leading there.
 */
function copyRow(row: LedgerRow): LedgerRow {
  const { aliases: _, ...rest } = row;
  const mark = createHash('sha256')
    .update(`${row.source}\n${row.url ?? ''}\n${row.title}`)
    .digest('hex')
    .slice(0, 16);
  return { ...rest, id: `copy:${mark}`, reason: `duplicate of ${row.id}: ${row.reason ?? 'same item'}` };
}

/** The row of an item the user does not want: no note, and it does not come back. */
export function declinedRow(known: LedgerRow, reason: string, at: string): LedgerRow {
  const { note: _, ...rest } = known;
  return { ...rest, outcome: 'skipped', decidedBy: 'user', reason, lastSeen: at };
}

/** An older row brought up to date by a newer one of the same id. */
export function mergeRow(known: LedgerRow | undefined, row: LedgerRow): LedgerRow {
  if (!known) return row;
  // Its aliases stay as they are; writing them again is most of what a row costs.
  if (row.outcome === 'duplicate') return { ...withoutAliases(known), lastSeen: row.lastSeen };
  const isFiled = known.note !== undefined && (known.outcome === 'written' || known.outcome === 'review');
  if (isFiled && row.note === undefined) {
    // Its note lies in the vault whatever became of the update.
    const reason = `update ${row.outcome}: ${row.reason ?? 'no reason given'} (the earlier note stays)`;
    return { ...known, lastSeen: row.lastSeen, reason };
  }
  const merged = { ...known, ...row, firstSeen: known.firstSeen };
  if (known.decidedBy === undefined) return merged;
  const { outcome, domain, decidedBy, reason } = known;
  return {
    ...merged,
    outcome,
    decidedBy,
    ...(domain === undefined ? {} : { domain }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function withoutAliases({ aliases: _, ...row }: LedgerRow): LedgerRow {
  return row;
}

/** SHA-256 of what scoring reads. */
export function contentHash(article: Article): string {
  const text = article.markdown ?? article.html ?? article.summary ?? '';
  return createHash('sha256').update(`${article.title}\n${text}`).digest('hex');
}

function subjectOf(item: Item): Subject | undefined {
  switch (item.kind) {
    case 'Article':
      return { article: item.data as Article };
    case 'Signal':
      return signalSubject(item.data as Signal);
    case 'Draft':
    case 'WrittenNote': {
      const { signal, path } = item.data as WrittenNote;
      if (!signal) return undefined;
      return { ...signalSubject(signal), ...(item.kind === 'WrittenNote' ? { note: path } : {}) };
    }
    default:
      return undefined;
  }
}

function signalSubject(signal: Signal): Subject {
  return { article: signal.article, signal };
}

function outcomeOf(event: RowEvent, signal: Signal | undefined): Outcome | undefined {
  if (event.outcome === 'failed') return 'failed';
  if (event.outcome === 'dropped') {
    if (event.reason === 'unscored') return 'unscored';
    return REPEATS.has(event.reason ?? '') ? 'duplicate' : 'skipped';
  }
  // An item that came out of a pipeline without a note (one that only scores, a dry run) was not taken in.
  if (event.item.kind !== 'WrittenNote') return undefined;
  return signal?.decision === 'review' ? 'review' : 'written';
}

function reasonOf(event: RowEvent, signal: Signal | undefined, outcome: Outcome): string | undefined {
  if (event.outcome === 'failed') {
    const code = event.error instanceof PipelineError ? ` [${event.error.code}]` : '';
    const what = event.error === undefined ? (event.reason ?? 'unknown error') : messageOf(event.error);
    return `${event.stage}: ${what}${code}`;
  }
  if (event.outcome === 'dropped' && outcome !== 'skipped' && outcome !== 'unscored')
    return event.detail ?? event.reason;
  return signal?.reason ?? event.detail ?? event.reason;
}
