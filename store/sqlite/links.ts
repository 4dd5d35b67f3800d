/** Links between notes, resolved when they are asked for: a note that appears or moves mends the links to it. */
import { linkKey, resolveLink } from '../../lib/links/resolve.js';
import { type LinkRow, linkFromRow } from '../rows.js';
import type { LinkRecord } from '../types.js';
import type { Db } from './database.js';

export class LinkReader {
  constructor(private readonly db: Db) {}

  from(path: string): readonly LinkRecord[] {
    return this.rows('f.path = ?', path).map((row) =>
      linkFromRow(row, resolveLink(row.target, path, this.named(row.key))),
    );
  }

  to(path: string, aliases: readonly string[]): readonly LinkRecord[] {
    const keys = JSON.stringify([linkKey(path), ...aliases.map(linkKey)]);
    return this.rows('l.key IN (SELECT value FROM json_each(?))', keys)
      .filter((row) => resolveLink(row.target, row.from, this.named(row.key)) === path)
      .map((row) => linkFromRow(row, path));
  }

  private rows(where: string, value: string): LinkRow[] {
    return this.db
      .prepare<[string], LinkRow>(
        `SELECT f.path AS "from", l.key, l.target, l.heading, l.alias, l.embed, l.line
         FROM links l JOIN files f ON f.id = l.file_id WHERE ${where} ORDER BY f.path, l.line, l.rowid`,
      )
      .all(value);
  }

  /** Paths of the notes with this link key, by file name or else by alias. */
  private named(key: string): string[] {
    const byName = this.db.prepare<[string], { path: string }>('SELECT path FROM files WHERE name_key = ?').all(key);
    const found =
      byName.length > 0
        ? byName
        : this.db
            .prepare<[string], { path: string }>(
              `SELECT DISTINCT f.path FROM files f, json_each(f.aliases) a
               WHERE f.aliases IS NOT NULL AND lower(a.value) = ?`,
            )
            .all(key);
    return found.map(({ path }) => path);
  }
}
