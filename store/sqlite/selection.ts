/** Which chunks a metadata filter lets through, found once for each state of the database and shared by both retrieval legs. */
import type { Filter } from '../../runner/items.js';
import { changeStamp } from './change-stamp.js';
import type { Db } from './database.js';
import { filterSql } from './filter.js';

/** Chunk ids: all, only these, or all but these, whichever list is the shorter. */
export type Selection =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'only' | 'except';
      readonly ids: readonly number[] /** The ids as a JSON array, for SQL. */;
      readonly json: string;
    };

/** No filter, or one that lets everything through. */
export const ALL: Selection = { kind: 'all' };
/** An agent asks with its ceiling and now and then a domain; a person at a prompt with one or two filters. */
const KEPT = 16;

/** A selection of given chunks, or of all others. */
export function selected(kind: 'only' | 'except', ids: readonly number[]): Exclude<Selection, { kind: 'all' }> {
  return { kind, ids, json: JSON.stringify(ids) };
}

export class Selections {
  private readonly stamp: () => string;
  private known: { stamp: string; readonly byFilter: Map<string, Selection> } = { stamp: '', byFilter: new Map() };

  constructor(private readonly db: Db) {
    this.stamp = changeStamp(db);
  }

  of(filter: Filter): Selection {
    const where = filterSql(filter);
    if (where.params.length === 0) return ALL;
    const stamp = this.stamp();
    if (this.known.stamp !== stamp) this.known = { stamp, byFilter: new Map() };
    const key = JSON.stringify([where.sql, where.params]);
    const { byFilter } = this.known;
    const found = byFilter.get(key) ?? this.find(where.sql, where.params);
    // Asked again becomes the youngest; the oldest goes.
    byFilter.delete(key);
    byFilter.set(key, found);
    for (const oldest of byFilter.keys()) {
      if (byFilter.size <= KEPT) break;
      byFilter.delete(oldest);
    }
    return found;
  }

  private find(where: string, params: readonly string[]): Selection {
    const [notes = 0, outside = 0] =
      this.db
        .prepare<unknown[], [number, number]>(`SELECT count(*), sum((${where}) IS NOT TRUE) FROM files f`)
        .raw()
        .get(...params) ?? [];
    if (outside === 0) return ALL;
    const except = outside * 2 < notes;
    const ids = this.db
      .prepare(
        `SELECT c.id FROM files f JOIN chunks c ON c.file_id = f.id WHERE (${where}) IS ${except ? 'NOT ' : ''}TRUE`,
      )
      .pluck()
      .all(...params) as number[];
    return selected(except ? 'except' : 'only', ids);
  }
}

/** A condition on a column of chunk ids, with its parameter; empty when everything is selected. */
export function selectionSql(
  selection: Selection,
  column: string,
): { readonly sql: string; readonly params: readonly string[] } {
  if (selection.kind === 'all') return { sql: '', params: [] };
  const not = selection.kind === 'except' ? 'NOT ' : '';
  return { sql: `AND ${column} ${not}IN (SELECT value FROM json_each(?))`, params: [selection.json] };
}
