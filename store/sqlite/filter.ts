/** The metadata filter in SQLite's words: tags have a table of their own, parameters are `?`. */
import type { Filter } from '../../runner/items.js';
import { filterSql as portableFilter } from '../filter-sql.js';

export interface FilterSql {
  /** A boolean expression; `1` when nothing is filtered. */
  readonly sql: string;
  readonly params: readonly string[];
}

export function filterSql(filter: Filter): FilterSql {
  const params: string[] = [];
  const add = (value: unknown): string => {
    params.push(String(value));
    return '?';
  };
  const sql = portableFilter(filter, {
    add,
    hasTag: (key) => {
      const [exact, from, below] = [add(key), add(`${key}/`), add(`${key}0`)];
      return `f.id IN (SELECT file_id FROM file_tags WHERE tag = ${exact} OR (tag >= ${from} AND tag < ${below}))`;
    },
    contains: (column, lowered) => `instr(lower(${column}), ${add(lowered)}) > 0`,
  });
  return { sql: sql ?? '1', params };
}
