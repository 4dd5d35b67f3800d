/** Metadata filters as SQL over `files f`, so that both retrieval legs filter before they rank. */
import { visibleSensitivities } from '../../lib/query/filter.js';
import type { Filter } from '../../runner/items.js';

export interface FilterSql {
  /** A boolean expression; `1` when nothing is filtered. */
  readonly sql: string;
  readonly params: readonly string[];
}

export function isEmptyFilter(filter: Filter): boolean {
  return filterSql(filter).params.length === 0;
}

/** All given conditions must hold; values of one condition are alternatives, except tags, which must all be there. */
export function filterSql(filter: Filter): FilterSql {
  const parts: string[] = [];
  const params: string[] = [];
  const add = (sql: string, ...values: string[]): void => {
    parts.push(sql);
    params.push(...values);
  };
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    if (values && values.length > 0)
      add(`lower(${column}) IN (${values.map(() => '?').join(',')})`, ...values.map((v) => v.toLowerCase()));
  };
  oneOf('f.type', filter.type);
  oneOf('f.domain', filter.domain);
  oneOf('f.status', filter.status);
  for (const tag of filter.tag ?? []) {
    const key = tag.replace(/^#/, '').toLowerCase();
    // "a" also matches "a/b": the half-open range ["a/", "a0") holds exactly the children ("0" follows "/").
    add('f.id IN (SELECT file_id FROM file_tags WHERE tag = ? OR (tag >= ? AND tag < ?))', key, `${key}/`, `${key}0`);
  }
  if (filter.folder && filter.folder.length > 0) {
    const ranges = filter.folder.map((folder) => folder.replace(/\/+$/, '')).filter((folder) => folder !== '');
    if (ranges.length > 0)
      add(
        `(${ranges.map(() => '(f.path >= ? AND f.path < ?)').join(' OR ')})`,
        ...ranges.flatMap((folder) => [`${folder}/`, `${folder}0`]),
      );
  }
  if (filter.source && filter.source.length > 0)
    add(
      `(${filter.source.map(() => '(lower(f.source) = ? OR instr(lower(f.source), ?) > 0)').join(' OR ')})`,
      ...filter.source.flatMap((s) => [s.toLowerCase(), `://${s.toLowerCase()}/`]),
    );
  if (filter.createdFrom) add('f.created >= ?', filter.createdFrom);
  if (filter.createdTo) add('f.created <= ?', filter.createdTo);
  if (filter.updatedFrom) add('f.updated >= ?', filter.updatedFrom);
  if (filter.updatedTo) add('f.updated <= ?', filter.updatedTo);
  if (filter.ceiling && filter.ceiling !== 'secret') {
    const visible = visibleSensitivities(filter.ceiling);
    add(`coalesce(f.sensitivity, 'internal') IN (${visible.map(() => '?').join(',')})`, ...visible);
  }
  return { sql: parts.length === 0 ? '1' : parts.join(' AND '), params };
}
