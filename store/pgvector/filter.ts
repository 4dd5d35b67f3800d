/** Metadata filters as SQL over `files f`, so that both retrieval legs filter before they rank. Agrees with lib/query/filter.ts. */
import { DEFAULT_SENSITIVITY, visibleSensitivities } from '../../lib/query/filter.js';
import type { Filter } from '../../runner/items.js';

/** Collects parameters while SQL is put together: `$1`, `$2` … */
export class Params {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Every tag in lower case, and its parents: `A/b` gives `a`, `a/b`. */
export function tagKeys(tags: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const tag of tags) {
    const parts = tag.toLowerCase().split('/');
    for (let n = 1; n <= parts.length; n++) keys.add(parts.slice(0, n).join('/'));
  }
  return [...keys];
}

/** A boolean expression, or undefined when nothing is filtered. */
export function filterSql(filter: Filter, params: Params): string | undefined {
  const parts: string[] = [];
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    if (values && values.length > 0)
      parts.push(`lower(${column}) = ANY(${params.add(values.map((v) => v.toLowerCase()))}::text[])`);
  };
  oneOf('f.type', filter.type);
  oneOf('f.domain', filter.domain);
  oneOf('f.status', filter.status);
  if (filter.tag && filter.tag.length > 0) {
    const keys = filter.tag.map((tag) => tag.replace(/^#/, '').toLowerCase());
    parts.push(`f.tag_keys @> ${params.add(keys)}::text[]`);
  }
  const folders = (filter.folder ?? []).map((folder) => folder.replace(/\/+$/, '')).filter((folder) => folder !== '');
  if (folders.length > 0) {
    // A range in the "C" collation is a prefix test that the unique index on path answers ("0" follows "/").
    const ranges = folders.map((f) => `(f.path >= ${params.add(`${f}/`)} AND f.path < ${params.add(`${f}0`)})`);
    parts.push(`(${ranges.join(' OR ')})`);
  }
  if (filter.source && filter.source.length > 0) {
    const sources = filter.source.map((s) => s.toLowerCase());
    const named = sources.map(
      (s) => `(lower(f.source) = ${params.add(s)} OR position(${params.add(`://${s}/`)} in lower(f.source)) > 0)`,
    );
    parts.push(`(${named.join(' OR ')})`);
  }
  if (filter.createdFrom) parts.push(`f.created >= ${params.add(filter.createdFrom)}`);
  if (filter.createdTo) parts.push(`f.created <= ${params.add(filter.createdTo)}`);
  if (filter.updatedFrom) parts.push(`f.updated >= ${params.add(filter.updatedFrom)}`);
  if (filter.updatedTo) parts.push(`f.updated <= ${params.add(filter.updatedTo)}`);
  if (filter.ceiling && filter.ceiling !== 'secret') {
    const visible = params.add([...visibleSensitivities(filter.ceiling)]);
    parts.push(`coalesce(f.sensitivity, '${DEFAULT_SENSITIVITY}') = ANY(${visible}::text[])`);
  }
  return parts.length === 0 ? undefined : parts.join(' AND ');
}
