/**
 * Metadata filters as SQL over `files f`, so that both retrieval legs filter before they rank. One meaning for every SQL
 * store, and the one of `matchesFilter` in lib/query/filter.ts; what differs between databases is a `FilterDialect`.
 */
import { DEFAULT_SENSITIVITY, visibleSensitivities } from '../lib/query/filter.js';
import type { Filter } from '../runner/items.js';

/** How one database writes what SQL leaves open. Parameters are added in the order in which they stand in the text. */
export interface FilterDialect {
  /** Registers a parameter and gives its placeholder. */
  add(value: unknown): string;
  /** True when the note has this tag or a child of it (`auth`: also `auth/oauth`). The key is in lower case. */
  hasTag(key: string): string;
  /** True when the column holds the text, compared in lower case. */
  contains(column: string, lowered: string): string;
}

/**
 * A boolean expression, or undefined when nothing is filtered. All given conditions must hold; values of one condition
 * are alternatives, except tags, which must all be there.
 */
export function filterSql(filter: Filter, sql: FilterDialect): string | undefined {
  const parts: string[] = [];
  const oneOf = (expression: string, values: readonly string[]): void => {
    if (values.length > 0) parts.push(`${expression} IN (${values.map((value) => sql.add(value)).join(', ')})`);
  };
  const lowered = (values: readonly string[] | undefined): string[] => (values ?? []).map((v) => v.toLowerCase());
  oneOf('lower(f.type)', lowered(filter.type));
  oneOf('lower(f.domain)', lowered(filter.domain));
  oneOf('lower(f.status)', lowered(filter.status));
  for (const tag of lowered(filter.tag)) parts.push(sql.hasTag(tag.replace(/^#/, '')));
  const folders = (filter.folder ?? []).map((folder) => folder.replace(/\/+$/, '')).filter((folder) => folder !== '');
  if (folders.length > 0) {
    // The half-open range ["a/", "a0") holds exactly what lies in a ("0" follows "/"), and the index on path answers it.
    const ranges = folders.map((f) => `(f.path >= ${sql.add(`${f}/`)} AND f.path < ${sql.add(`${f}0`)})`);
    parts.push(`(${ranges.join(' OR ')})`);
  }
  const sources = lowered(filter.source);
  if (sources.length > 0) {
    const named = sources.map((s) => `(lower(f.source) = ${sql.add(s)} OR ${sql.contains('f.source', `://${s}/`)})`);
    parts.push(`(${named.join(' OR ')})`);
  }
  const compare = (column: string, operator: '>=' | '<=', value: string | undefined): void => {
    if (value) parts.push(`${column} ${operator} ${sql.add(value)}`);
  };
  compare('f.created', '>=', filter.createdFrom);
  compare('f.created', '<=', filter.createdTo);
  compare('f.updated', '>=', filter.updatedFrom);
  compare('f.updated', '<=', filter.updatedTo);
  if (filter.ceiling && filter.ceiling !== 'secret')
    oneOf(`coalesce(f.sensitivity, '${DEFAULT_SENSITIVITY}')`, visibleSensitivities(filter.ceiling));
  return parts.length === 0 ? undefined : parts.join(' AND ');
}
