/** Writes one note: file row, chunks, keyword vectors, vectors, links. Every method runs inside the caller's transaction. */
import { linkKey } from '../../lib/links/resolve.js';
import { ENGLISH, type Stemmer } from '../../lib/query/stemmer.js';
import type { Chunk, FileStat, IndexedNote } from '../../runner/items.js';
import type { VectorSpace } from '../types.js';
import { type PgClient, rows, run } from './connection.js';
import { Params } from './filter.js';
import { writeTextVectors } from './language.js';
import { fileColumns, insertChunksSql, insertLinksSql, insertNew } from './new-note.js';
import { ensureSpace, insertVectors, readVectors, type StoredSpace, spaces, tableOf } from './vectors.js';

/** Vectors of chunks removed a moment ago: text that moves between notes of one batch keeps its vector. */
const RECENT_VECTORS = 4096;

interface OldChunk {
  readonly id: string;
  readonly hash: Buffer;
  readonly section: string;
  readonly heading_context: string;
  readonly text: string;
}

interface Matched {
  /** Row id of each new chunk, in order. */
  readonly ids: readonly number[];
  /** Indexes of chunks that got a new row. */
  readonly inserted: ReadonlySet<number>;
}

export class NoteWriter {
  /** Of the index as it is now: the session asks before each piece of work. */
  stemmer: Stemmer = ENGLISH;
  private readonly recent = new Map<string, Float32Array>();
  private readonly ensured = new Map<string, StoredSpace>();

  constructor(
    private readonly db: PgClient,
    /** False when pgvector is not there: notes then leave no vectors. */
    private readonly hasVectors: boolean,
  ) {}

  async put(note: IndexedNote, space: VectorSpace | undefined): Promise<void> {
    const target = space && this.hasVectors ? await this.spaceFor(space) : undefined;
    const vectors = target && (await this.allVectors(target, note.chunks));
    if (await insertNew(this.db, note, target, vectors, this.stemmer)) return;
    const fileId = await this.updateFile(note);
    const member = await this.memberships(fileId);
    const matched = await this.writeChunks(fileId, note, member);
    if (target) await this.enterSpace(target, fileId, note.chunks, matched, member);
    // A changed note cannot stay in a space that this run does not fill; an unchanged one can.
    for (const other of member)
      if (other.id !== target?.id && matched.inserted.size > 0) await this.leaveSpace(other, fileId);
  }

  async rename(from: string, to: string, stat: FileStat): Promise<void> {
    const [file] = await rows<{ id: string }>(this.db, 'SELECT id FROM files WHERE path = $1', [from]);
    if (!file) return;
    if (from !== to) await this.remove(to);
    await run(this.db, 'UPDATE files SET path = $1, name_key = $2, size = $3, mtime_ns = $4 WHERE id = $5', [
      ...[to, linkKey(to), stat.size, stat.mtimeNs, file.id],
    ]);
    if (from === to) return;
    const old = await rows<OldChunk>(
      this.db,
      'SELECT id, hash, section, heading_context, text FROM chunks WHERE file_id = $1',
      [file.id],
    );
    await writeTextVectors(
      this.db,
      old.map((chunk) => ({ ...chunk, headingContext: chunk.heading_context, path: to })),
      this.stemmer,
    );
  }

  async touch(path: string, stat: FileStat): Promise<void> {
    await run(this.db, 'UPDATE files SET size = $1, mtime_ns = $2 WHERE path = $3', [stat.size, stat.mtimeNs, path]);
  }

  async remove(path: string): Promise<void> {
    const [file] = await rows<{ id: string }>(this.db, 'SELECT id FROM files WHERE path = $1', [path]);
    if (!file) return;
    const old = await rows<{ id: string; hash: Buffer }>(this.db, 'SELECT id, hash FROM chunks WHERE file_id = $1', [
      file.id,
    ]);
    await this.rememberVectors(await this.memberships(Number(file.id)), old);
    // Chunks, links, memberships and vectors go with it.
    await run(this.db, 'DELETE FROM files WHERE id = $1', [file.id]);
  }

  /** After a rollback the remembered vectors may be of rows that never were. */
  forget(): void {
    this.recent.clear();
    this.ensured.clear();
  }

  /** The spaces change only through this writer, so they need not be asked for with every note. */
  private async spaceFor(space: VectorSpace): Promise<StoredSpace> {
    const known = this.ensured.get(space.fingerprint);
    if (known && known.dimensions === space.dimensions) return known;
    const made = await ensureSpace(this.db, space);
    this.ensured.set(space.fingerprint, made);
    return made;
  }

  private async updateFile(note: IndexedNote): Promise<number> {
    const columns = Object.entries(fileColumns(note));
    const [row] = await rows<{ id: string }>(
      this.db,
      `UPDATE files SET ${columns.map(([name], i) => `${name} = $${i + 1}`).join(', ')} WHERE path = $1 RETURNING id`,
      columns.map(([, value]) => value),
    );
    const id = Number(row?.id);
    await run(this.db, 'DELETE FROM links WHERE file_id = $1', [id]);
    if (note.links.length > 0) {
      const params = new Params();
      await run(this.db, insertLinksSql(note.links, params, `${params.add(id)}::bigint`, ''), params.values);
    }
    return id;
  }

  /** Pairs new chunks with stored rows of the same content; the rest is inserted. Unchanged rows keep id and vectors. */
  private async writeChunks(
    fileId: number,
    { file, chunks }: IndexedNote,
    member: readonly StoredSpace[],
  ): Promise<Matched> {
    const old = await rows<OldChunk>(
      this.db,
      'SELECT id, hash, section, heading_context, text FROM chunks WHERE file_id = $1 ORDER BY idx',
      [fileId],
    );
    const free = new Map<string, OldChunk[]>();
    for (const row of old) {
      const key = contentKey(row.hash.toString('hex'), row.section, row.heading_context, row.text);
      free.set(key, [...(free.get(key) ?? []), row]);
    }
    const kept = new Map<number, number>();
    for (const [i, { hash, section, headingContext, text }] of chunks.entries()) {
      const row = free.get(contentKey(hash, section, headingContext, text))?.shift();
      if (row) kept.set(i, Number(row.id));
    }
    const left = [...free.values()].flat();
    await this.rememberVectors(member, left);
    if (left.length > 0) await this.deleteChunks(left);
    if (kept.size > 0) await this.moveChunks(kept, chunks);
    const fresh = [...chunks.entries()].filter(([i]) => !kept.has(i));
    const ids = await this.insertChunks(
      fileId,
      file.path,
      fresh.map(([, chunk]) => chunk),
    );
    const made = new Map(fresh.map(([i], n) => [i, ids[n] ?? -1]));
    return {
      ids: chunks.map((_, i) => kept.get(i) ?? made.get(i) ?? -1),
      inserted: new Set(made.keys()),
    };
  }

  private async deleteChunks(gone: readonly OldChunk[]): Promise<void> {
    await run(this.db, 'DELETE FROM chunks WHERE id = ANY($1::bigint[])', [gone.map((row) => row.id)]);
  }

  private async moveChunks(kept: ReadonlyMap<number, number>, chunks: readonly Chunk[]): Promise<void> {
    const moved = [...kept].flatMap(([i, id]) => {
      const chunk = chunks[i];
      return chunk ? [[id, chunk.index, ...chunk.lines] as const] : [];
    });
    await run(
      this.db,
      `UPDATE chunks c SET idx = g.idx, line_from = g.a, line_to = g.b
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS g(id, idx, a, b)
       WHERE c.id = g.id AND (c.idx, c.line_from, c.line_to) IS DISTINCT FROM (g.idx, g.a, g.b)`,
      [moved.map((m) => m[0]), moved.map((m) => m[1]), moved.map((m) => m[2]), moved.map((m) => m[3])],
    );
  }

  /** One statement for all chunks of the note. Ids in the order given. */
  private async insertChunks(fileId: number, path: string, chunks: readonly Chunk[]): Promise<number[]> {
    if (chunks.length === 0) return [];
    const params = new Params();
    const made = await rows<{ id: string; idx: number }>(
      this.db,
      insertChunksSql(chunks, path, params, `${params.add(fileId)}::bigint`, '', this.stemmer),
      params.values,
    );
    const byIndex = new Map(made.map((row) => [row.idx, Number(row.id)]));
    return chunks.map((chunk) => byIndex.get(chunk.index) ?? -1);
  }

  /** Gives every chunk of the note a vector in the space, or takes the note out of it when one cannot be had. */
  private async enterSpace(
    space: StoredSpace,
    fileId: number,
    chunks: readonly Chunk[],
    { ids, inserted }: Matched,
    member: readonly StoredSpace[],
  ): Promise<void> {
    const wasMember = member.some((s) => s.id === space.id);
    const wanted = [...chunks.entries()].filter(([i]) => !wasMember || inserted.has(i));
    const stored = await this.storedVectors(
      space,
      wanted.filter(([, c]) => !c.vector).map(([, c]) => c.hash),
    );
    const vectors: [number, Float32Array][] = [];
    for (const [i, chunk] of wanted) {
      const vector = chunk.vector ?? stored.get(chunk.hash);
      if (!vector) {
        if (wasMember) await this.leaveSpace(space, fileId);
        return;
      }
      vectors.push([ids[i] ?? -1, vector]);
    }
    await insertVectors(this.db, space, vectors);
    if (!wasMember)
      await run(this.db, 'INSERT INTO file_spaces VALUES ($1, $2) ON CONFLICT DO NOTHING', [fileId, space.id]);
  }

  /** A vector for each chunk, given or stored for the same text; undefined when one cannot be had. */
  private async allVectors(space: StoredSpace, chunks: readonly Chunk[]): Promise<readonly Float32Array[] | undefined> {
    const missing = chunks.filter(({ vector }) => !vector).map(({ hash }) => hash);
    const stored = await this.storedVectors(space, missing);
    const vectors = chunks.flatMap(({ vector, hash }) => vector ?? stored.get(hash) ?? []);
    return vectors.length === chunks.length ? vectors : undefined;
  }

  private async storedVectors(
    space: StoredSpace,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, Float32Array>> {
    if (hashes.length === 0) return new Map();
    const found = await rows<{ id: string; hash: string }>(
      this.db,
      `SELECT DISTINCT ON (c.hash) c.id, encode(c.hash, 'hex') AS hash
       FROM chunks c JOIN ${tableOf(space)} v ON v.chunk_id = c.id
       WHERE c.hash = ANY(SELECT decode(h, 'hex') FROM unnest($1::text[]) AS given(h))`,
      [hashes],
    );
    const vectors = await readVectors(
      this.db,
      space,
      found.map((row) => Number(row.id)),
    );
    const known = new Map<string, Float32Array>();
    for (const hash of hashes) {
      const remembered = this.recent.get(`${space.id}:${hash}`);
      if (remembered) known.set(hash, remembered);
    }
    for (const { id, hash } of found) {
      const vector = vectors.get(Number(id));
      if (vector) known.set(hash, vector);
    }
    return known;
  }

  private async memberships(fileId: number): Promise<readonly StoredSpace[]> {
    if (!this.hasVectors) return [];
    const member = await rows<{ space_id: number }>(this.db, 'SELECT space_id FROM file_spaces WHERE file_id = $1', [
      fileId,
    ]);
    if (member.length === 0) return [];
    const all = await spaces(this.db);
    return all.filter((space) => member.some((m) => m.space_id === space.id));
  }

  private async leaveSpace(space: StoredSpace, fileId: number): Promise<void> {
    await run(this.db, `DELETE FROM ${tableOf(space)} WHERE chunk_id IN (SELECT id FROM chunks WHERE file_id = $1)`, [
      fileId,
    ]);
    await run(this.db, 'DELETE FROM file_spaces WHERE file_id = $1 AND space_id = $2', [fileId, space.id]);
  }

  private async rememberVectors(
    member: readonly StoredSpace[],
    gone: readonly { readonly id: string; readonly hash: Buffer }[],
  ): Promise<void> {
    if (gone.length === 0) return;
    for (const space of member) {
      const vectors = await readVectors(
        this.db,
        space,
        gone.map((row) => Number(row.id)),
      );
      for (const { id, hash } of gone) {
        const vector = vectors.get(Number(id));
        if (vector) this.recent.set(`${space.id}:${hash.toString('hex')}`, vector);
      }
    }
    while (this.recent.size > RECENT_VECTORS) {
      const [oldest] = this.recent.keys();
      if (oldest === undefined) break;
      this.recent.delete(oldest);
    }
  }
}

function contentKey(hash: string, section: string, headingContext: string, text: string): string {
  return `${hash}\0${section}\0${headingContext}\0${text}`;
}
