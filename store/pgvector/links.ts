/** Links of notes, resolved to the notes that answer to them now. */
import { linkKey, resolveLink } from '../../lib/links/resolve.js';
import { type LinkRow, linkFromRow } from '../rows.js';
import type { LinkRecord } from '../types.js';
import { type PgClient, rows } from './connection.js';

export async function linksFrom(on: PgClient, path: string): Promise<readonly LinkRecord[]> {
  const found = await linkRows(on, 'f.path = $1', path);
  const named = await pathsNamed(on, new Set(found.map((row) => row.key)));
  return found.map((row) => linkFromRow(row, resolveLink(row.target, path, named.get(row.key) ?? [])));
}

/** Links that lead to the note at this path, by its file name or by one of its aliases. */
export async function linksTo(on: PgClient, path: string, aliases: readonly string[]): Promise<readonly LinkRecord[]> {
  const keys = new Set([linkKey(path), ...aliases.map(linkKey)]);
  const found = await linkRows(on, 'l.key = ANY($1::text[])', [...keys]);
  const named = await pathsNamed(on, keys);
  return found
    .filter((row) => resolveLink(row.target, row.from, named.get(row.key) ?? []) === path)
    .map((row) => linkFromRow(row, path));
}

function linkRows(on: PgClient, where: string, value: unknown): Promise<(LinkRow & Record<string, unknown>)[]> {
  return rows(
    on,
    `SELECT f.path AS "from", l.key, l.target, l.heading, l.alias, l.embed, l.line
     FROM links l JOIN files f ON f.id = l.file_id WHERE ${where} ORDER BY f.path, l.line, l.id`,
    [value],
  );
}

/** Paths of the notes with each link key, by file name or else by alias. */
async function pathsNamed(on: PgClient, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string[]>> {
  const found = await rows<{ key: string; path: string; by_name: boolean }>(
    on,
    `SELECT g.key, f.path, f.name_key = g.key AS by_name FROM unnest($1::text[]) AS g(key)
     JOIN files f ON f.name_key = g.key OR f.alias_keys @> ARRAY[g.key] GROUP BY g.key, f.path, f.name_key`,
    [[...keys]],
  );
  return new Map(
    [...keys].map((key) => {
      const all = found.filter((row) => row.key === key);
      const byName = all.filter((row) => row.by_name);
      return [key, (byName.length > 0 ? byName : all).map((row) => row.path)];
    }),
  );
}
