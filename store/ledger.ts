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
  readonly text?: string;
  readonly limit?: number;
}

/** What a source's fetch state holds between runs. */
export interface SourceState {
  readonly name: string;
  readonly etag?: string;
  readonly lastModified?: string;
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
}

/** A user's judgement of a routing decision, learned from triage, moves, deletions and edits. */
export interface Label {
  readonly id: string;
  readonly at: string;
  readonly kind: 'accepted' | 'rejected' | 'moved' | 'deleted' | 'edited';
  readonly domain?: string;
}

export interface Ledger {
  get(id: string): Promise<LedgerRow | undefined>;
  /** The row that answers to any of these identities, or undefined. */
  find(aliases: readonly string[]): Promise<LedgerRow | undefined>;
  byNote(path: string): Promise<LedgerRow | undefined>;
  /** Inserts or updates by id; `firstSeen` of an existing row is kept. */
  put(row: LedgerRow): Promise<void>;
  list(filter: LedgerFilter): AsyncIterable<LedgerRow>;
  /** The bytes we last wrote to a note, for the three-way update. */
  lastWritten(path: string): Promise<string | undefined>;
  setLastWritten(path: string, text: string | undefined): Promise<void>;
  sourceState(name: string): Promise<SourceState | undefined>;
  setSourceState(state: SourceState): Promise<void>;
  addLabel(label: Label): Promise<void>;
  labels(): AsyncIterable<Label>;
  close(): Promise<void>;
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    ledger: Ledger;
  }
}
