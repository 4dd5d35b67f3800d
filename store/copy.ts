/**
 * Copies an index and a ledger from one store to another, over their contracts alone: nothing is embedded, scored or read
 * from the vault again. A copy that was interrupted goes on where it stopped.
 */
import { PipelineError } from '../runner/errors.js';
import { indexedNote } from './indexed-note.js';
import type { Ledger, LedgerChange } from './ledger.js';
import type { ChunkStore, FileRecord, NoteRecord, VectorSpace } from './types.js';

export interface CopyOptions {
  readonly onProgress?: (done: number, total: number) => void;
  /** Stops after the notes in hand; what was copied stays. */
  readonly signal?: AbortSignal;
}

export interface IndexCopy {
  /** Copied now; what an earlier, interrupted copy brought over is not copied again. */
  readonly notes: number;
  readonly chunks: number;
  readonly vectors: number;
}

export interface LedgerCopy {
  readonly rows: number;
  readonly labels: number;
  readonly actions: number;
  readonly sources: number;
  readonly written: number;
}

/** Notes in one transaction. */
const BATCH = 256;
/** Ledger rows in one transaction; an article is a few kilobytes. */
const LEDGER_BATCH = 200;
/** Meta values that say something of the notes, not of the store they lie in. */
const CARRIED = ['last-run'];

/**
 * Makes `to` hold what `from` holds: notes, links, chunks, and the vectors of the space in use. Notes `to` has and `from`
 * has not are removed. To be called as the only writer of both.
 */
export async function copyIndex(from: ChunkStore, to: ChunkStore, options: CopyOptions = {}): Promise<IndexCopy> {
  const { onProgress, signal } = options;
  const space = to.capabilities.vector ? await from.activeSpace() : undefined;
  const there = new Map<string, string>();
  for await (const file of to.files()) there.set(file.path, stateOf(file, space));
  const { notes: total } = await from.counts();
  const copied = { notes: 0, chunks: 0, vectors: 0 };
  for (let offset = 0; ; offset += BATCH) {
    signal?.throwIfAborted();
    const page = await from.notes({ filter: {}, limit: BATCH, offset, order: 'path' });
    const missing = page.filter((note) => there.get(note.path) !== stateOf(note, space));
    for (const { path } of page) there.delete(path);
    if (missing.length > 0)
      await to.transaction(async () => {
        for (const note of missing) await copyNote(note, from, to, space, copied);
      });
    onProgress?.(Math.min(offset + page.length, total), total);
    if (page.length < BATCH) break;
  }
  await to.transaction(async () => {
    for (const path of there.keys()) await to.removeNote(path);
    for (const key of CARRIED) {
      const value = await from.getMeta(key);
      if (value !== undefined) await to.setMeta(key, value);
    }
  });
  await to.optimize();
  return copied;
}

/** Whether `to` is a copy already: the same notes in the same state, and no others. */
export async function isCopy(from: ChunkStore, to: ChunkStore): Promise<boolean> {
  const space = to.capabilities.vector ? await from.activeSpace() : undefined;
  const there = new Map<string, string>();
  for await (const file of to.files()) there.set(file.path, stateOf(file, space));
  for await (const file of from.files()) {
    if (there.get(file.path) !== stateOf(file, space)) return false;
    there.delete(file.path);
  }
  return there.size === 0;
}

/** Two notes of one state need not be copied: same bytes, cut alike, and with the vectors wanted. */
function stateOf({ hash, recipe, spaces }: FileRecord, space: VectorSpace | undefined): string {
  return `${hash} ${recipe ?? ''} ${space !== undefined && spaces.includes(space.fingerprint)}`;
}

async function copyNote(
  note: NoteRecord,
  from: ChunkStore,
  to: ChunkStore,
  space: VectorSpace | undefined,
  copied: { notes: number; chunks: number; vectors: number },
): Promise<void> {
  const chunks = await from.chunksOf(note.path);
  const ids = chunks.map(({ id }) => id);
  const vectors = space ? await from.vectors(ids, space.fingerprint) : new Map<number, Float32Array>();
  const links = await from.linksFrom(note.path);
  await to.putNote(
    indexedNote(note, chunks, links, ({ id }) => vectors.get(id)),
    space,
  );
  copied.notes++;
  copied.chunks += chunks.length;
  copied.vectors += vectors.size;
}

/**
 * Compares the vectors of two stores, number by number, and gives how many were compared.
 * @throws {PipelineError} `copy-differs` at the first note whose vectors are not the same bits.
 */
export async function compareVectors(from: ChunkStore, to: ChunkStore, options: CopyOptions = {}): Promise<number> {
  const space = await from.activeSpace();
  if (!space) return 0;
  const { notes: total } = await from.counts();
  let compared = 0;
  let done = 0;
  for await (const { path } of from.files()) {
    options.signal?.throwIfAborted();
    const [mine, theirs] = [await vectorsOf(from, path, space), await vectorsOf(to, path, space)];
    if (mine.length !== theirs.length || mine.some((bits, i) => theirs[i] === undefined || !bits.equals(theirs[i])))
      throw new PipelineError('copy-differs', `The vectors of ${path} differ from those it was copied from.`, {
        fatal: true,
        remedy: 'Run the same command with --replace; if it happens again, report it.',
      });
    compared += mine.length;
    options.onProgress?.(++done, total);
  }
  return compared;
}

/** The bytes of a note's vectors, in the order of its chunks. */
async function vectorsOf(store: ChunkStore, path: string, { fingerprint }: VectorSpace): Promise<Buffer[]> {
  const ids = (await store.chunksOf(path)).map(({ id }) => id);
  const vectors = await store.vectors(ids, fingerprint);
  return ids.flatMap((id) => {
    const vector = vectors.get(id);
    return vector ? [Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)] : [];
  });
}

/** Brings every row, label, source state and triage action over. What `to` knows already stays as it knows it. */
export async function copyLedger(from: Ledger, to: Ledger, { signal }: CopyOptions = {}): Promise<LedgerCopy> {
  const copied = { rows: 0, labels: 0, actions: 0, sources: 0, written: 0 };
  const isNew = await isEmpty(to);
  const put = async <T>(
    items: AsyncIterable<T>,
    wanted: (item: T) => Promise<boolean>,
    change: (batch: readonly T[]) => LedgerChange,
    count: keyof LedgerCopy,
  ): Promise<void> => {
    let batch: T[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await to.apply(change(batch));
      copied[count] += batch.length;
      batch = [];
    };
    for await (const item of items) {
      signal?.throwIfAborted();
      if (!(isNew || (await wanted(item)))) continue;
      batch.push(item);
      if (batch.length >= LEDGER_BATCH) await flush();
    }
    await flush();
  };
  const known = new Set<string>();
  for await (const { id, at, kind } of to.labels()) known.add(JSON.stringify([id, at, kind]));
  await put(
    from.list({}),
    async ({ id }) => !(await to.get(id)),
    (rows) => ({ rows }),
    'rows',
  );
  await put(
    from.labels(),
    async ({ id, at, kind }) => !known.has(JSON.stringify([id, at, kind])),
    (labels) => ({ labels }),
    'labels',
  );
  await put(
    from.allWritten(),
    async ({ path }) => (await to.lastWritten(path)) === undefined,
    (written) => ({ written }),
    'written',
  );
  for await (const state of from.sourceStates()) {
    if (await to.sourceState(state.name)) continue;
    await to.setSourceState(state);
    copied.sources++;
  }
  // They are kept in order, so those of the source come before all others or not at all.
  if (!(await to.lastAction()))
    for await (const { seq: _, ...journal } of from.actions()) {
      await to.apply({ journal });
      copied.actions++;
    }
  return copied;
}

async function isEmpty(ledger: Ledger): Promise<boolean> {
  for await (const _ of ledger.list({ limit: 1 })) return false;
  return true;
}
