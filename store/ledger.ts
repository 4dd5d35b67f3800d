/** The ledger: one row for every item ever seen, whatever became of it. It is not derived data and outlives the index. */
import type { Scores } from '../runner/items.js';

export type Outcome = 'written' | 'review' | 'skipped' | 'duplicate' | 'failed' | 'unscored';

/** Field names are those of `ledger list --json` (CLI.md), camelCased. */
export interface LedgerRow {
  /** The item's identity (SPEC 3). */
  readonly id: string;
  readonly source: string;
  readonly url?: string;
  readonly title: string;
  readonly outcome: Outcome;
  readonly scores?: Scores;
  readonly domain?: string;
  readonly domainSecond?: string;
  /** Vault-relative path of the note, when there is one. */
  readonly note?: string;
  readonly reason?: string;
  /** Set once the user decided (triage, a move, a deletion): no later run changes outcome and domain. */
  readonly decidedBy?: 'user';
  /** ISO 8601 UTC. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** SHA-256 of the scored content, hex: tells an update from a repeat. */
  readonly contentHash?: string;
  /** What `replay` needs to score again without fetching: JSON of the scrubbed article. */
  readonly article?: string;
  /** JSON of the trail: stages, times, messages. */
  readonly trail?: string;
  /** Other identities this item answers to (guid, url, title+content), for dedupe. */
  readonly aliases?: readonly string[];
}

export interface LedgerFilter {
  readonly outcome?: readonly Outcome[];
  readonly source?: string;
  readonly domain?: string;
  /** ISO 8601, inclusive, on last_seen. */
  readonly since?: string;
  /** ISO 8601, exclusive, on last_seen. */
  readonly until?: string;
  /** Inclusive bounds on the composite; rows without scores do not match either. */
  readonly minComposite?: number;
  readonly maxComposite?: number;
  /** Only rows that have a note (true) or have none (false). */
  readonly hasNote?: boolean;
  /** Part of the title, URL or source, in any case. */
  readonly text?: string;
  readonly limit?: number;
}

/** What a source's fetch state holds between runs. */
export interface SourceState {
  readonly name: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** First answer ever: what never had an item is silent since then. */
  readonly firstOk?: string;
  readonly lastOk?: string;
  readonly lastError?: string;
  /** Failures in a row. */
  readonly failures: number;
  /** ISO 8601: not before this time (Retry-After, back-off). */
  readonly pausedUntil?: string;
  /** When an item was last new. */
  readonly lastItem?: string;
  readonly items: number;
  /** Identity rule of this feed once its ids proved unreliable. */
  readonly idRule?: 'guid' | 'guid+url' | 'url' | 'hash';
  /** Of each item in the last answer its identities, joined by a space. Until each of them has a ledger row the answer is asked for again. */
  readonly given?: readonly string[];
}

/** A user's judgement of a routing decision, learned from triage, moves, deletions and edits. */
export interface Label {
  readonly id: string;
  readonly at: string;
  readonly kind: 'accepted' | 'rejected' | 'moved' | 'deleted' | 'edited';
  readonly domain?: string;
}

/** A note that a triage action touched; `null` stands for "no such file". */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** One triage action, with all that `triage undo` needs to take it back. */
export interface JournalEntry {
  /** Given by the ledger, ascending. */
  readonly seq?: number;
  readonly at: string;
  readonly action: 'accept' | 'reject';
  /** The rows as they were before. */
  readonly rows: readonly LedgerRow[];
  readonly files: readonly FileChange[];
  readonly labels: readonly Label[];
  /** What `lastWritten` held before, for the paths the action changed. */
  readonly written: readonly { readonly path: string; readonly text: string | null }[];
}

/** The bytes we last wrote to a note. */
export interface WrittenText {
  readonly path: string;
  readonly text: string;
}

/** Changes that become durable together or not at all. */
export interface LedgerChange {
  readonly rows?: readonly LedgerRow[];
  readonly labels?: readonly Label[];
  readonly removeLabels?: readonly Label[];
  /** See `setLastWritten`. */
  readonly written?: readonly { readonly path: string; readonly text: string | undefined }[];
  readonly journal?: JournalEntry;
  /** `seq` of the journal entry that was taken back. */
  readonly undone?: number;
}

/** What to forget. Rows are small and stay by default; stored articles are what grows. */
export interface Retention {
  /** Only rows with these outcomes. */
  readonly outcome: readonly Outcome[];
  /** Last seen before this (ISO 8601): the stored article and trail go, so `replay` can no longer re-score the item. */
  readonly articlesBefore?: string;
  /** Last seen before this (ISO 8601): the whole row goes; were the item to come back, it would be new. */
  readonly rowsBefore?: string;
}

export interface Ledger {
  get(id: string): Promise<LedgerRow | undefined>;
  /** The row that answers to any of these identities (its own id counts as one), or undefined. */
  find(aliases: readonly string[]): Promise<LedgerRow | undefined>;
  byNote(path: string): Promise<LedgerRow | undefined>;
  /** Inserts or updates by id; `firstSeen` of an existing row is kept, aliases add up. */
  put(row: LedgerRow): Promise<void>;
  /** Applies several changes in one transaction. */
  apply(change: LedgerChange): Promise<void>;
  /** Most recently seen first. A snapshot: rows may be changed while it is read. */
  list(filter: LedgerFilter): AsyncIterable<LedgerRow>;
  /** The bytes we last wrote to a note, for the three-way update. */
  lastWritten(path: string): Promise<string | undefined>;
  setLastWritten(path: string, text: string | undefined): Promise<void>;
  /** All of what `lastWritten` gives, by path. */
  allWritten(): AsyncIterable<WrittenText>;
  sourceState(name: string): Promise<SourceState | undefined>;
  setSourceState(state: SourceState): Promise<void>;
  /** Of every source there is anything known of, by name. */
  sourceStates(): AsyncIterable<SourceState>;
  addLabel(label: Label): Promise<void>;
  /** In the order they were given. */
  labels(): AsyncIterable<Label>;
  /** The latest triage action that was not taken back. The last 200 are kept. */
  lastAction(): Promise<JournalEntry | undefined>;
  /** All of them, oldest first. */
  actions(): AsyncIterable<JournalEntry>;
  retain(retention: Retention): Promise<{ readonly articles: number; readonly rows: number }>;
  close(): Promise<void>;
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    ledger: Ledger;
  }
}
