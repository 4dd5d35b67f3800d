/**
 * Gives an index the vectors of another model while it goes on answering with those it has: in slices, resumable, note by
 * note in order of path. What is done is known from the store itself, so a kill loses at most the notes in hand.
 */
import { embeddingText } from '../../lib/chunk/chunk.js';
import type { Clock } from '../../runner/resources.js';
import type { Embedder } from '../../stages/embed/models/types.js';
import { indexedNote } from '../../store/indexed-note.js';
import type { ChunkRecord, ChunkStore, FileRecord, VectorSpace } from '../../store/types.js';

export interface EmbeddingProgress {
  readonly model: string;
  /** Notes that have all their vectors of this model. */
  readonly done: number;
  /** Notes with anything to embed. */
  readonly total: number;
}

export interface ReembedOptions {
  readonly clock: Clock;
  /** Stops after the notes in hand when this is spent, milliseconds; default: goes on to the end. */
  readonly budgetMs?: number;
  /** Chunks embedded together. */
  readonly batch: number;
  /** Stops after the notes in hand. */
  readonly stop?: AbortSignal;
  /** Stops at once. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EmbeddingProgress) => void;
  /** Wraps every write, e.g. in the writer's lock; between two of them other writers get their turn. */
  readonly exclusively?: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface ReembedReport extends EmbeddingProgress {
  /** True when queries use this model from now on. */
  readonly active: boolean;
  readonly embedded: number;
  /** Texts longer than the model reads. */
  readonly truncated: number;
  readonly seconds: number;
}

/** The notes in hand: read from the index, waiting for their vectors. */
interface Waiting {
  readonly file: FileRecord;
  readonly chunks: readonly ChunkRecord[];
}

/** How far the vectors of a space are, from the store alone. */
export async function embeddingProgress(store: ChunkStore, space: VectorSpace): Promise<EmbeddingProgress> {
  const { waiting, total } = await survey(store, space);
  return { model: space.model, done: total - waiting.length, total };
}

/** Rejects with what the embedder or the store throws; finished notes stay. */
export async function reembed(store: ChunkStore, embedder: Embedder, options: ReembedOptions): Promise<ReembedReport> {
  const { clock, budgetMs = Number.POSITIVE_INFINITY, batch, stop, signal, onProgress } = options;
  const exclusively = options.exclusively ?? ((work) => work());
  const space = { fingerprint: embedder.fingerprint, model: embedder.id, dimensions: embedder.dimensions };
  const started = clock.now();
  const truncatedBefore = embedder.truncated ?? 0;
  const { waiting, total } = await survey(store, space);
  let done = total - waiting.length;
  let embedded = 0;
  const over = (): boolean => stop?.aborted === true || clock.now() - started >= budgetMs;

  let hand: Waiting[] = [];
  let held = 0;
  const finish = async (): Promise<void> => {
    const vectors = await vectorsOf(hand, store, embedder, space, signal);
    embedded += vectors.size;
    const notes = hand;
    done += await exclusively(() => store.transaction(() => putVectors(notes, vectors, store, space)));
    hand = [];
    held = 0;
    onProgress?.({ model: embedder.id, done, total });
  };
  for (const path of over() ? [] : waiting) {
    const file = await store.file(path);
    if (!file) continue;
    const chunks = await store.chunksOf(path);
    hand.push({ file, chunks });
    held += chunks.length;
    if (held < batch) continue;
    await finish();
    if (over()) break;
  }
  if (hand.length > 0) await finish();

  const complete = (await survey(store, space)).waiting.length === 0;
  if (complete) await exclusively(() => store.optimize());
  const active = (await store.activeSpace())?.fingerprint === space.fingerprint;
  const truncated = (embedder.truncated ?? 0) - truncatedBefore;
  return { model: embedder.id, done, total, active, embedded, truncated, seconds: (clock.now() - started) / 1000 };
}

async function survey(store: ChunkStore, space: VectorSpace): Promise<{ waiting: string[]; total: number }> {
  const waiting: string[] = [];
  let total = 0;
  for await (const file of store.files()) {
    if (file.chunks === 0) continue;
    total++;
    if (!file.spaces.includes(space.fingerprint)) waiting.push(file.path);
  }
  return { waiting, total };
}

/** Vectors by chunk hash; text the space knows already is not embedded again. */
async function vectorsOf(
  notes: readonly Waiting[],
  store: ChunkStore,
  embedder: Embedder,
  space: VectorSpace,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Float32Array>> {
  const texts = new Map<string, string>();
  for (const { meta, section, text, hash } of notes.flatMap((note) => note.chunks))
    texts.set(hash, embeddingText(meta, section, text));
  for (const hash of await store.knownVectors([...texts.keys()], space)) texts.delete(hash);
  const made = await embedder.embed([...texts.values()], 'document', signal);
  return new Map([...texts.keys()].map((hash, i) => [hash, made[i] ?? new Float32Array(embedder.dimensions)]));
}

/** Inside a transaction: puts the vectors to the notes that are still as they were read. Gives how many that are. */
async function putVectors(
  notes: readonly Waiting[],
  vectors: ReadonlyMap<string, Float32Array>,
  store: ChunkStore,
  space: VectorSpace,
): Promise<number> {
  let put = 0;
  for (const { file, chunks } of notes) {
    const note = await store.note(file.path);
    // Changed or gone meanwhile: the next slice takes it as it is then.
    if (note?.hash !== file.hash || note.recipe !== file.recipe) continue;
    const links = await store.linksFrom(note.path);
    const indexed = indexedNote(note, chunks, links, (chunk) => vectors.get(chunk.hash));
    await store.putNote(indexed, space);
    put++;
  }
  return put;
}
