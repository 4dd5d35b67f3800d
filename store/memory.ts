/** The reference store: the contract in its simplest form, for tests and for runs that keep nothing. */
import { linkKey, resolveLink } from '../lib/links/resolve.js';
import { DEFAULT_SENSITIVITY, matchesFilter, noneOfEach } from '../lib/query/filter.js';
import { indexTerms } from '../lib/query/index-terms.js';
import type { TextQuery, TextTerm } from '../lib/query/text-query.js';
import type { TextStats } from '../lib/ranking/lexical.js';
import { comparePaths } from '../lib/vault/paths.js';
import { PipelineError } from '../runner/errors.js';
import type { Chunk, FileStat, Filter, Hit, IndexedNote } from '../runner/items.js';
import { candidatesOf, freshFirst } from './fresh-first.js';
import { bm25, cosineOf, occurrences, type RankedText, tokens } from './memory-rank.js';
import type {
  ChunkRecord,
  ChunkStore,
  FileRecord,
  LinkRecord,
  NoteListOptions,
  NoteRecord,
  StoreCounts,
  TextMatchOptions,
  VectorMatchOptions,
  VectorSpace,
} from './types.js';

interface StoredChunk extends Chunk {
  readonly id: number;
}

interface StoredNote extends Omit<IndexedNote, 'chunks'> {
  readonly chunks: readonly StoredChunk[];
}

/** An empty store in memory. Ranking is plain BM25 and exact cosine. */
export function createMemoryStore(): ChunkStore {
  return new MemoryStore();
}

interface State {
  readonly notes: Map<string, StoredNote>;
  /** Fingerprint -> chunk id -> vector. */
  readonly vectors: Map<string, Map<number, Float32Array>>;
  readonly spaces: Map<string, VectorSpace>;
  readonly meta: Map<string, string>;
  active: string | undefined;
}

class MemoryStore implements ChunkStore {
  readonly kind = 'memory';
  readonly capabilities = { text: true, vector: true, writable: true };
  private state: State = {
    notes: new Map(),
    vectors: new Map(),
    spaces: new Map(),
    meta: new Map(),
    active: undefined,
  };
  private nextId = 1;
  private generation = 0;
  private open = false;

  async *files(): AsyncGenerator<FileRecord> {
    for (const path of this.paths()) {
      const record = await this.file(path);
      if (record) yield record;
    }
  }

  async file(path: string): Promise<FileRecord | undefined> {
    const note = this.state.notes.get(path);
    return note && this.record(note);
  }

  async putNote(note: IndexedNote, space?: VectorSpace): Promise<void> {
    const { notes } = this.state;
    const old = notes.get(note.file.path);
    const chunks = note.chunks.map((chunk): StoredChunk => {
      const same = old?.chunks.find((o) => o.index === chunk.index && o.hash === chunk.hash && o.text === chunk.text);
      return { ...chunk, id: same?.id ?? this.nextId++ };
    });
    const vectors = space && chunks.map((chunk) => chunk.vector ?? this.vectorOf(chunk.hash, space.fingerprint));
    if (old) this.dropVectors(old, new Set(chunks.map((chunk) => chunk.id)));
    if (space && vectors?.every((v) => v !== undefined)) {
      this.state.active ??= space.fingerprint;
      this.state.spaces.set(space.fingerprint, space);
      const into = this.state.vectors.get(space.fingerprint) ?? new Map<number, Float32Array>();
      this.state.vectors.set(space.fingerprint, into);
      for (const [i, chunk] of chunks.entries()) into.set(chunk.id, vectors[i] ?? new Float32Array(space.dimensions));
    }
    notes.set(note.file.path, { ...note, chunks });
    this.changed();
  }

  async knownVectors(hashes: readonly string[], space: VectorSpace): Promise<ReadonlySet<string>> {
    return new Set(hashes.filter((hash) => this.vectorOf(hash, space.fingerprint) !== undefined));
  }

  async renameNote(from: string, to: string, stat: FileStat): Promise<void> {
    const note = this.state.notes.get(from);
    if (!note) return;
    if (from !== to) await this.removeNote(to);
    this.state.notes.delete(from);
    this.state.notes.set(to, { ...note, file: { ...note.file, path: to, stat } });
    this.changed();
  }

  async touchNote(path: string, stat: FileStat): Promise<void> {
    const note = this.state.notes.get(path);
    if (note) this.state.notes.set(path, { ...note, file: { ...note.file, stat } });
    this.changed();
  }

  async removeNote(path: string): Promise<void> {
    const note = this.state.notes.get(path);
    if (!note) return;
    this.dropVectors(note);
    this.state.notes.delete(path);
    this.changed();
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.open) throw new PipelineError('store-nested', 'A transaction was opened inside another one.');
    const { notes, vectors, spaces, meta, active } = this.state;
    const before: State = {
      notes: new Map(notes),
      vectors: new Map([...vectors].map(([key, map]) => [key, new Map(map)])),
      spaces: new Map(spaces),
      meta: new Map(meta),
      active,
    };
    this.open = true;
    try {
      return await work();
    } catch (error) {
      this.state = before;
      throw error;
    } finally {
      this.open = false;
    }
  }

  async optimize(): Promise<void> {
    const chunks = [...this.state.notes.values()].reduce((n, note) => n + note.chunks.length, 0);
    for (const [fingerprint, vectors] of this.state.vectors) {
      if (fingerprint === this.state.active || vectors.size !== chunks) continue;
      this.state.active = fingerprint;
      for (const other of [...this.state.spaces.keys()]) {
        if (other === fingerprint) continue;
        this.state.spaces.delete(other);
        this.state.vectors.delete(other);
      }
    }
  }

  async clear(): Promise<void> {
    this.state.notes.clear();
    this.state.vectors.clear();
    this.state.spaces.clear();
    this.state.active = undefined;
    this.changed();
  }

  async matchText(query: TextQuery, { top, filter, weights }: TextMatchOptions): Promise<readonly Hit[]> {
    const phrases = query.wanted.filter((t) => t.kind === 'phrase');
    const all = [...this.fields(weights)];
    const scored = all
      .filter(({ note, fields }) => {
        const has = (term: TextTerm): boolean => fields.some(([text]) => occurrences(text, term) > 0);
        return (
          matchesFilter(note.file.path, note.meta, filter) &&
          !query.excluded.some(has) &&
          phrases.every(has) &&
          query.wanted.some(has)
        );
      })
      .map((entry) => ({ ...entry, score: bm25(entry, all, query.wanted) }));
    scored.sort((a, b) => b.score - a.score || a.chunk.id - b.chunk.id);
    return scored.slice(0, top).map(({ note, chunk, score }, i) => ({
      ...this.hit(note, chunk),
      score,
      bm25Score: score,
      bm25Rank: i + 1,
      vecRank: null,
    }));
  }

  async matchVector(vector: Float32Array, options: VectorMatchOptions): Promise<readonly Hit[]> {
    const { active } = this.state;
    if (active === undefined) return [];
    if (active !== options.fingerprint)
      throw new PipelineError('vector-mismatch', 'The index holds vectors of another model.', {
        remedy: 'Run `pipeline index`.',
      });
    const scored: { note: StoredNote; chunk: StoredChunk; cosine: number }[] = [];
    for (const [note, chunk] of this.visible(options.filter)) {
      const stored = this.state.vectors.get(active)?.get(chunk.id);
      const cosine = stored ? cosineOf(vector, stored) : Number.NaN;
      if (!Number.isNaN(cosine)) scored.push({ note, chunk, cosine });
    }
    scored.sort((a, b) => b.cosine - a.cosine || a.chunk.id - b.chunk.id);
    const hits = scored.slice(0, candidatesOf(options)).map(({ note, chunk, cosine }, i) => ({
      ...this.hit(note, chunk),
      score: cosine,
      cosine,
      bm25Rank: null,
      vecRank: i + 1,
    }));
    return freshFirst(hits, options);
  }

  async textStats(stems: readonly string[]): Promise<TextStats> {
    const all = [...this.fields([1, 1, 1])].map(({ fields }) => fields.flatMap(([text]) => text));
    const count = (stem: string): number => all.filter((text) => text.includes(stem)).length;
    return {
      chunks: all.length,
      averageWords: all.reduce((n, text) => n + text.length, 0) / Math.max(all.length, 1),
      counts: new Map(stems.map((stem) => [stem, count(stem)])),
    };
  }

  async similarities(
    chunkIds: readonly number[],
    vector: Float32Array,
    fingerprint: string,
  ): Promise<ReadonlyMap<number, number>> {
    const hits = await this.matchVector(vector, { top: Number.POSITIVE_INFINITY, filter: {}, fingerprint });
    const wanted = new Set(chunkIds);
    return new Map(hits.flatMap(({ chunkId, cosine = 0 }) => (wanted.has(chunkId) ? [[chunkId, cosine]] : [])));
  }

  async vectors(chunkIds: readonly number[], fingerprint: string): Promise<ReadonlyMap<number, Float32Array>> {
    const stored = this.state.vectors.get(fingerprint);
    return new Map(chunkIds.flatMap((id) => (stored?.has(id) ? [[id, stored.get(id) ?? new Float32Array()]] : [])));
  }

  async chunk(id: number): Promise<ChunkRecord | undefined> {
    for (const note of this.state.notes.values())
      for (const chunk of note.chunks) if (chunk.id === id) return chunkRecord(note, chunk);
    return undefined;
  }

  async chunksOf(path: string): Promise<readonly ChunkRecord[]> {
    const note = this.state.notes.get(path);
    return note ? note.chunks.map((chunk) => chunkRecord(note, chunk)) : [];
  }

  async note(path: string): Promise<NoteRecord | undefined> {
    const note = this.state.notes.get(path);
    return note && { ...this.record(note), meta: note.meta };
  }

  async notes({ filter, limit, offset = 0, order = 'updated' }: NoteListOptions): Promise<readonly NoteRecord[]> {
    const found = this.paths().flatMap((path) => this.state.notes.get(path) ?? []);
    const wanted = found.filter((note) => matchesFilter(note.file.path, note.meta, filter));
    // Stable: notes of one day, and those without a date at the end, stay ordered by path.
    if (order === 'updated') wanted.sort((a, b) => comparePaths(b.meta.updated ?? '', a.meta.updated ?? ''));
    return wanted.slice(offset, offset + limit).map((note) => ({ ...this.record(note), meta: note.meta }));
  }

  async linksFrom(path: string): Promise<readonly LinkRecord[]> {
    const note = this.state.notes.get(path);
    return (note?.links ?? []).map((link) => ({
      ...link,
      from: path,
      to: resolveLink(link.target, path, this.named(linkKey(link.target))),
    }));
  }

  async linksTo(path: string): Promise<readonly LinkRecord[]> {
    const found: LinkRecord[] = [];
    for (const from of this.paths()) found.push(...(await this.linksFrom(from)).filter((link) => link.to === path));
    return found;
  }

  async counts(): Promise<StoreCounts> {
    const notes = [...this.state.notes.values()];
    return {
      notes: notes.length,
      chunks: notes.reduce((n, note) => n + note.chunks.length, 0),
      vectors: this.state.vectors.get(this.state.active ?? '')?.size ?? 0,
      links: notes.reduce((n, note) => n + note.links.length, 0),
      bytes: 0,
      sensitivity: notes.reduce((counts, { meta }) => {
        counts[meta.sensitivity ?? DEFAULT_SENSITIVITY]++;
        return counts;
      }, noneOfEach()),
    };
  }

  async getMeta(key: string): Promise<string | undefined> {
    return this.state.meta.get(key);
  }

  async setMeta(key: string, value: string): Promise<void> {
    this.state.meta.set(key, value);
    this.changed();
  }

  async activeSpace(): Promise<VectorSpace | undefined> {
    return this.state.spaces.get(this.state.active ?? '');
  }

  async version(): Promise<string> {
    return String(this.generation);
  }

  async close(): Promise<void> {}

  private changed(): void {
    this.generation++;
  }

  private paths(): string[] {
    return [...this.state.notes.keys()].sort(comparePaths);
  }

  private record({ file, chunks }: StoredNote): FileRecord {
    const spaces = [...this.state.vectors].filter(([, vectors]) => chunks.every((chunk) => vectors.has(chunk.id)));
    return {
      path: file.path,
      stat: file.stat,
      hash: file.hash ?? '',
      chunks: chunks.length,
      spaces: spaces.map(([fingerprint]) => fingerprint),
      ...(file.recipe === undefined ? {} : { recipe: file.recipe }),
    };
  }

  private vectorOf(hash: string, fingerprint: string): Float32Array | undefined {
    const vectors = this.state.vectors.get(fingerprint);
    for (const note of vectors ? this.state.notes.values() : [])
      for (const chunk of note.chunks) {
        const vector = chunk.hash === hash ? vectors?.get(chunk.id) : undefined;
        if (vector) return vector;
      }
    return undefined;
  }

  /** Takes a note out of every space that does not hold all of its new chunks (`keep`). */
  private dropVectors(note: StoredNote, keep: ReadonlySet<number> = new Set()): void {
    for (const vectors of this.state.vectors.values()) {
      const whole = [...keep].every((id) => vectors.has(id));
      for (const { id } of note.chunks) if (!whole || !keep.has(id)) vectors.delete(id);
    }
  }

  private named(key: string): string[] {
    const paths = this.paths();
    const byName = paths.filter((path) => linkKey(path) === key);
    if (byName.length > 0) return byName;
    return paths.filter((path) => this.state.notes.get(path)?.meta.aliases?.some((a) => a.toLowerCase() === key));
  }

  private *visible(filter: Filter): Generator<[StoredNote, StoredChunk]> {
    for (const note of this.state.notes.values())
      if (matchesFilter(note.file.path, note.meta, filter)) for (const chunk of note.chunks) yield [note, chunk];
  }

  private *fields(
    weights: TextMatchOptions['weights'],
  ): Generator<RankedText & { note: StoredNote; chunk: StoredChunk }> {
    for (const [note, chunk] of this.visible({})) {
      const fields: RankedText['fields'] = [
        [tokens(chunk.text), weights[0]],
        [tokens(chunk.section), weights[1]],
        [tokens(chunk.headingContext), weights[2]],
        [tokens(note.file.path), weights[2]],
        [tokens(indexTerms(`${chunk.section}\n${chunk.text}`)), weights[0]],
      ];
      yield { note, chunk, fields };
    }
  }

  private hit(note: StoredNote, chunk: StoredChunk): Omit<Hit, 'score' | 'bm25Rank' | 'vecRank'> {
    const { section, text, lines, id } = chunk;
    return { chunkId: id, path: note.file.path, section, text, lines, meta: note.meta };
  }
}

function chunkRecord({ file, meta }: StoredNote, { vector: _, ...chunk }: StoredChunk): ChunkRecord {
  return { ...chunk, path: file.path, meta };
}
