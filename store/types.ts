/** What every store must do. SQLite, PostgreSQL and memory pass the same contract test. */

import type { Sensitivity } from '../lib/query/filter.js';
import type { Stemmer } from '../lib/query/stemmer.js';
import type { TextQuery } from '../lib/query/text-query.js';
import type { TextStats } from '../lib/ranking/lexical.js';
import type { Chunk, FileStat, Filter, Hit, IndexedNote, NoteLink, NoteMeta } from '../runner/items.js';

/** What this store can do right now, found when it is opened. A missing part has a reason a user can act on. */
export interface StoreCapabilities {
  readonly text: boolean;
  readonly textReason?: string;
  readonly vector: boolean;
  readonly vectorReason?: string;
  readonly writable: boolean;
}

/** A file as the index knows it. */
export interface FileRecord {
  readonly path: string;
  readonly stat: FileStat;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly chunks: number;
  /** How the note was cut and scrubbed (`VaultFile.recipe`); another recipe means it has to be read again. */
  readonly recipe?: string;
  /** Fingerprints of the vector spaces in which all of its chunks have vectors. */
  readonly spaces: readonly string[];
}

/** A vector space: one model with one prompt format. Two may coexist; a query uses one. */
export interface VectorSpace {
  readonly fingerprint: string;
  readonly model: string;
  readonly dimensions: number;
}

export interface TextMatchOptions {
  readonly top: number;
  readonly filter: Filter;
  /** BM25 weights of text, section and heading context. */
  readonly weights: readonly [text: number, section: number, heading: number];
  readonly signal?: AbortSignal;
}

/** Notes that have not changed for long give way a little: the distance alone finds candidates, age only orders them. */
export interface StalePenalty {
  /** ISO day. A note's `updated`, else its `created` date counts; a note without either is fresh. */
  readonly before: string;
  /** Taken from the cosine to give the score. */
  readonly penalty: number;
  /** How many chunks are found by distance before age is looked at; `top` when that is more. */
  readonly candidates: number;
}

export interface VectorMatchOptions {
  readonly top: number;
  readonly filter: Filter;
  readonly stale?: StalePenalty;
  /** Must equal the active space's fingerprint; otherwise nothing is compared and `vector-mismatch` is thrown. */
  readonly fingerprint: string;
  readonly signal?: AbortSignal;
}

/** Everything known of a chunk, without its vector. */
export interface ChunkRecord extends Omit<Chunk, 'vector' | 'index'> {
  readonly id: number;
  readonly index: number;
  readonly path: string;
  readonly meta: NoteMeta;
}

export interface NoteRecord extends FileRecord {
  readonly meta: NoteMeta;
}

export interface NoteListOptions {
  readonly filter: Filter;
  readonly limit: number;
  readonly offset?: number;
  readonly order?: 'updated' | 'path';
}

export interface StoreCounts {
  readonly notes: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly links: number;
  readonly bytes: number;
  /** Notes by sensitivity class; those that say nothing count as the default class. */
  readonly sensitivity: Readonly<Record<Sensitivity, number>>;
}

/** A resolved link. `to` is null while no note answers to the target. */
export interface LinkRecord extends NoteLink {
  readonly from: string;
  readonly to: string | null;
}

/** How a run asks to be the only writer. */
export interface ExclusiveOptions {
  /** What it is doing, for whoever finds the index locked: `pipeline index`. */
  readonly command: string;
  /** How long to wait for another writer, milliseconds. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  /** Waits between two tries; tests give one that does not. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Notes, chunks, keyword index, vectors and links of one vault.
 * Writes of one note are one transaction: a reader sees the old note or the new one, never a mixture.
 * All methods may reject with `PipelineError` (`store-locked`, `store-readonly`, `store-corrupt`, `disk-full`).
 */
export interface ChunkStore {
  readonly kind: 'sqlite' | 'postgres' | 'memory';
  readonly capabilities: StoreCapabilities;
  /** Where it is, for people to read: host, database and schema, never a password. Stores in a file have none. */
  readonly shown?: string;

  // --- index side -------------------------------------------------------------------------------------------------
  /** All files the index knows, ordered by path. */
  files(): AsyncIterable<FileRecord>;
  file(path: string): Promise<FileRecord | undefined>;
  /**
   * Replaces a note: file row, chunks, keyword rows, vectors, links. Chunks without a vector reuse the stored vector of
   * the same chunk hash. A note has vectors for all of its chunks or for none: one missing leaves out the others.
   */
  putNote(note: IndexedNote, space?: VectorSpace): Promise<void>;
  /** Which of these chunk hashes already have a vector in the space. */
  knownVectors(hashes: readonly string[], space: VectorSpace): Promise<ReadonlySet<string>>;
  /** Same bytes, new path: rows move, vectors stay. */
  renameNote(from: string, to: string, stat: FileStat): Promise<void>;
  /** Same bytes, new times. */
  touchNote(path: string, stat: FileStat): Promise<void>;
  removeNote(path: string): Promise<void>;
  /** Groups writes: all of `work`'s notes become visible together or not at all. Nesting is an error. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Only for stores on a server, which knows its writers: runs `work` as the only one, or rejects with `index-locked`,
   * naming the holder. An index in a file is locked beside the file, before it is opened.
   */
  exclusively?<T>(options: ExclusiveOptions, work: () => Promise<T>): Promise<T>;
  /** Housekeeping after a large write: optimise, checkpoint, analyse; a vector space that became complete becomes active. */
  optimize(): Promise<void>;
  /** Empties the index (never the ledger). */
  clear(): Promise<void>;

  // --- query side -------------------------------------------------------------------------------------------------
  matchText(query: TextQuery, options: TextMatchOptions): Promise<readonly Hit[]>;
  matchVector(vector: Float32Array, options: VectorMatchOptions): Promise<readonly Hit[]>;
  /**
   * How the words of this index are stemmed, to be asked for with each query: a writer may change it. Absent where it is
   * always English.
   */
  stemmer?(): Promise<Stemmer>;
  /** How common stems are in the whole index, for ranking in process. */
  textStats(stems: readonly string[]): Promise<TextStats>;
  /** Cosine of these chunks to a vector; chunks without a vector in the space are left out. */
  similarities(
    chunkIds: readonly number[],
    vector: Float32Array,
    fingerprint: string,
  ): Promise<ReadonlyMap<number, number>>;
  /** Vectors of these chunks, for copies of the index: their direction holds, exactness and length may not. */
  vectors(chunkIds: readonly number[], fingerprint: string): Promise<ReadonlyMap<number, Float32Array>>;
  chunk(id: number): Promise<ChunkRecord | undefined>;
  chunksOf(path: string): Promise<readonly ChunkRecord[]>;
  note(path: string): Promise<NoteRecord | undefined>;
  notes(options: NoteListOptions): Promise<readonly NoteRecord[]>;
  linksFrom(path: string): Promise<readonly LinkRecord[]>;
  linksTo(path: string): Promise<readonly LinkRecord[]>;

  // --- meta -------------------------------------------------------------------------------------------------------
  counts(): Promise<StoreCounts>;
  getMeta(key: string): Promise<string | undefined>;
  setMeta(key: string, value: string): Promise<void>;
  /** The space queries use; undefined before the first vector. */
  activeSpace(): Promise<VectorSpace | undefined>;
  /** Changes whenever a writer commits, in any process: cheap to poll. */
  version(): Promise<string>;
  /**
   * Only for stores on a server, which can tell: calls back after every commit of any process until the signal aborts,
   * and once when a lost connection is back. Resolves when it listens.
   */
  onCommit?(listener: () => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    store: ChunkStore;
  }
}
