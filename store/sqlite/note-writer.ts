/** Replaces, moves and removes one note in the index: only chunks that differ are touched, vectors follow their text. */
import { linkKey } from '../../lib/links/resolve.js';
import type { Chunk, FileStat, IndexedNote } from '../../runner/items.js';
import { CHUNK_COLUMNS } from '../rows.js';
import type { VectorSpace } from '../types.js';
import type { Db } from './database.js';
import { quantize } from './quantize.js';
import type { IndexedChunkRow } from './rows.js';
import { pathText, type TextIndex, termsOf, textRow } from './text.js';
import type { StoredSpace, VectorIndex } from './vectors.js';

/** Vectors of chunks removed a moment ago: text that moves between notes of one batch keeps its vector. */
const RECENT_VECTORS = 4096;

interface Matched {
  /** Row id of each new chunk, in order. */
  readonly ids: readonly number[];
  /** Indexes of chunks that got a new row. */
  readonly inserted: ReadonlySet<number>;
  /** Old rows that no new chunk answers to. */
  readonly left: readonly IndexedChunkRow[];
}

/** All methods run inside the caller's transaction. */
export class NoteWriter {
  private readonly recent = new Map<string, Buffer>();
  private readonly sql: ReturnType<typeof prepareStatements>;

  constructor(
    db: Db,
    private readonly text: TextIndex,
    /** Undefined when sqlite-vec is not there: notes then leave their vector spaces as they change. */
    private readonly vectors: VectorIndex | undefined,
  ) {
    this.sql = prepareStatements(db);
  }

  put(note: IndexedNote, space: VectorSpace | undefined): void {
    const stored = this.sql.file.get(note.file.path)?.id;
    const fileId = this.writeFile(note, stored);
    const matched = this.matchChunks(fileId, note, stored === undefined ? [] : this.sql.chunks.all(fileId));
    const member = stored === undefined ? [] : this.sql.spacesOf.all(fileId).map((row) => row.space_id);
    const target = space && this.vectors?.ensure(space);
    if (target) this.enterSpace(target, fileId, note.chunks, matched, member.includes(target.id));
    for (const id of member) if (id !== target?.id) this.leaveIfIncomplete(id, fileId, matched);
    for (const row of matched.left) this.removeChunk(row, member);
  }

  rename(from: string, to: string, stat: FileStat): void {
    const stored = this.sql.file.get(from);
    if (!stored) return;
    if (from !== to) this.remove(to);
    this.sql.moveFile.run(to, linkKey(to), stat.size, stat.mtimeNs, stored.id);
    if (from === to) return;
    const path = pathText(to);
    for (const row of this.sql.chunks.all(stored.id)) {
      this.text.remove(textRow(row));
      this.text.insert(textRow({ ...row, path }));
    }
    this.sql.moveChunks.run(path, stored.id);
  }

  touch(path: string, stat: FileStat): void {
    this.sql.touchFile.run(stat.size, stat.mtimeNs, path);
  }

  remove(path: string): void {
    const stored = this.sql.file.get(path);
    if (!stored) return;
    const member = this.sql.spacesOf.all(stored.id).map((row) => row.space_id);
    for (const row of this.sql.chunks.all(stored.id)) this.removeChunk(row, member);
    this.sql.deleteSpaces.run(stored.id);
    this.sql.deleteLinks.run(stored.id);
    this.sql.deleteTags.run(stored.id);
    this.sql.deleteFile.run(stored.id);
  }

  /** After a rollback the remembered vectors may be of rows that never were. */
  forget(): void {
    this.recent.clear();
  }

  private writeFile({ file, meta, chunks, links }: IndexedNote, stored: number | undefined): number {
    const { path, stat, hash = '', recipe = null } = file;
    const values = [
      ...[path, linkKey(path), stat.size, stat.mtimeNs, Buffer.from(hash, 'hex'), chunks.length, recipe],
      ...[meta.title, meta.type, meta.domain, meta.status, meta.created, meta.updated, meta.source, meta.sensitivity],
      ...[JSON.stringify(meta.tags), meta.aliases && JSON.stringify(meta.aliases)],
    ].map((value) => value ?? null);
    let fileId = stored;
    if (fileId === undefined) fileId = Number(this.sql.insertFile.run(...values).lastInsertRowid);
    else {
      this.sql.updateFile.run(...values, fileId);
      this.sql.deleteTags.run(fileId);
      this.sql.deleteLinks.run(fileId);
    }
    for (const tag of meta.tags) this.sql.insertTag.run(tag.toLowerCase(), fileId);
    for (const { target, heading = null, alias = null, embed, line } of links)
      this.sql.insertLink.run(fileId, linkKey(target), target, heading, alias, embed ? 1 : 0, line);
    return fileId;
  }

  /** Pairs new chunks with stored rows of the same content; the rest is inserted. Unchanged rows keep id and vectors. */
  private matchChunks(fileId: number, { file, chunks }: IndexedNote, old: readonly IndexedChunkRow[]): Matched {
    const path = pathText(file.path);
    const free = new Map<string, IndexedChunkRow[]>();
    for (const row of old) {
      const key = contentKey(row.hash.toString('hex'), row.section, row.heading_context, row.text);
      const rows = free.get(key);
      if (rows) rows.push(row);
      else free.set(key, [row]);
    }
    const ids: number[] = [];
    const inserted = new Set<number>();
    for (const [i, chunk] of chunks.entries()) {
      const { index, section, headingContext, text, hash, lines } = chunk;
      const row = free.get(contentKey(hash, section, headingContext, text))?.shift();
      if (row) {
        if (row.idx !== index || row.line_from !== lines[0] || row.line_to !== lines[1])
          this.sql.moveChunk.run(index, lines[0], lines[1], row.chunk_id);
        ids.push(row.chunk_id);
        continue;
      }
      const terms = termsOf(text, section);
      const { lastInsertRowid } = this.sql.insertChunk.run(
        ...[fileId, index, lines[0], lines[1], Buffer.from(hash, 'hex'), section, headingContext, text, path, terms],
      );
      const id = Number(lastInsertRowid);
      this.text.insert({ id, text, section, headingContext, path, terms });
      ids.push(id);
      inserted.add(i);
    }
    return { ids, inserted, left: [...free.values()].flat() };
  }

  /** Gives every chunk of the note a vector in the space, or takes the note out of it when one cannot be had. */
  private enterSpace(
    space: StoredSpace,
    fileId: number,
    chunks: readonly Chunk[],
    matched: Matched,
    wasMember: boolean,
  ): void {
    const { vectors } = this;
    if (!vectors) return;
    const wanted: [id: number, vector: Buffer][] = [];
    for (const [i, chunk] of chunks.entries()) {
      const id = matched.ids[i];
      if (id === undefined || (wasMember && !matched.inserted.has(i))) continue;
      const vector = chunk.vector ? quantize(chunk.vector) : this.storedVector(space, chunk.hash);
      if (!vector) {
        if (wasMember) this.leaveSpace(space, fileId, matched);
        return;
      }
      wanted.push([id, vector]);
    }
    for (const [id, vector] of wanted) vectors.insert(space, id, vector);
    if (!wasMember) this.sql.insertSpace.run(fileId, space.id);
  }

  private storedVector(space: StoredSpace, hash: string): Buffer | undefined {
    for (const { id } of this.sql.embedded.all(space.id, Buffer.from(hash, 'hex'))) {
      // A row of this very note may have been inserted a moment ago and have no vector yet.
      const bytes = this.vectors?.bytes(space, id);
      if (bytes) return bytes;
    }
    return this.recent.get(`${space.id}:${hash}`);
  }

  /** A changed note cannot stay in a space that this run does not fill; an unchanged one can. */
  private leaveIfIncomplete(spaceId: number, fileId: number, matched: Matched): void {
    if (matched.inserted.size === 0) return;
    const space = this.vectors?.byId(spaceId);
    if (space) this.leaveSpace(space, fileId, matched);
    else this.sql.deleteSpace.run(fileId, spaceId);
  }

  private leaveSpace(space: StoredSpace, fileId: number, matched: Matched): void {
    for (const [i, id] of matched.ids.entries()) if (!matched.inserted.has(i)) this.vectors?.remove(space, id);
    this.sql.deleteSpace.run(fileId, space.id);
  }

  private removeChunk(row: IndexedChunkRow, member: readonly number[]): void {
    for (const id of member) {
      const space = this.vectors?.byId(id);
      if (!space || !this.vectors) continue;
      const vector = this.vectors.bytes(space, row.chunk_id);
      if (!vector) continue;
      this.vectors.remove(space, row.chunk_id);
      this.remember(`${id}:${row.hash.toString('hex')}`, vector);
    }
    this.text.remove(textRow(row));
    this.sql.deleteChunk.run(row.chunk_id);
  }

  private remember(key: string, vector: Buffer): void {
    this.recent.set(key, vector);
    if (this.recent.size <= RECENT_VECTORS) return;
    const [oldest] = this.recent.keys();
    if (oldest !== undefined) this.recent.delete(oldest);
  }
}

function contentKey(hash: string, section: string, headingContext: string, text: string): string {
  return `${hash}\0${section}\0${headingContext}\0${text}`;
}

function prepareStatements(db: Db) {
  return {
    file: db.prepare<[string], { id: number }>('SELECT id FROM files WHERE path = ?'),
    insertFile: db.prepare(
      `INSERT INTO files(path, name_key, size, mtime_ns, hash, chunks, recipe, title, type, domain, status, created,
         updated, source, sensitivity, tags, aliases)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateFile: db.prepare(
      `UPDATE files SET path = ?, name_key = ?, size = ?, mtime_ns = ?, hash = ?, chunks = ?, recipe = ?, title = ?,
         type = ?, domain = ?, status = ?, created = ?, updated = ?, source = ?, sensitivity = ?, tags = ?, aliases = ?
       WHERE id = ?`,
    ),
    deleteFile: db.prepare('DELETE FROM files WHERE id = ?'),
    moveFile: db.prepare('UPDATE files SET path = ?, name_key = ?, size = ?, mtime_ns = ? WHERE id = ?'),
    touchFile: db.prepare('UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?'),
    insertTag: db.prepare('INSERT OR IGNORE INTO file_tags(tag, file_id) VALUES (?, ?)'),
    deleteTags: db.prepare('DELETE FROM file_tags WHERE file_id = ?'),
    insertLink: db.prepare(
      'INSERT INTO links(file_id, key, target, heading, alias, embed, line) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    deleteLinks: db.prepare('DELETE FROM links WHERE file_id = ?'),
    chunks: db.prepare<[number], IndexedChunkRow>(
      `SELECT ${CHUNK_COLUMNS}, c.path, c.terms FROM chunks c WHERE c.file_id = ? ORDER BY c.idx`,
    ),
    insertChunk: db.prepare(
      `INSERT INTO chunks(file_id, idx, line_from, line_to, hash, section, heading_context, text, path, terms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    moveChunk: db.prepare('UPDATE chunks SET idx = ?, line_from = ?, line_to = ? WHERE id = ?'),
    moveChunks: db.prepare('UPDATE chunks SET path = ? WHERE file_id = ?'),
    deleteChunk: db.prepare('DELETE FROM chunks WHERE id = ?'),
    spacesOf: db.prepare<[number], { space_id: number }>('SELECT space_id FROM file_spaces WHERE file_id = ?'),
    insertSpace: db.prepare('INSERT OR IGNORE INTO file_spaces(file_id, space_id) VALUES (?, ?)'),
    deleteSpace: db.prepare('DELETE FROM file_spaces WHERE file_id = ? AND space_id = ?'),
    deleteSpaces: db.prepare('DELETE FROM file_spaces WHERE file_id = ?'),
    embedded: db.prepare<[number, Buffer], { id: number }>(
      `SELECT c.id FROM chunks c JOIN file_spaces fs ON fs.file_id = c.file_id AND fs.space_id = ?
       WHERE c.hash = ?`,
    ),
  };
}
