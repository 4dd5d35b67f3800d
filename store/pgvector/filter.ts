/** The metadata filter in PostgreSQL's words: tags are an array with an index, parameters are numbered. */
import type { FilterDialect } from '../filter-sql.js';

/** Collects parameters while SQL is put together: `$1`, `$2` … */
export class Params implements FilterDialect {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  hasTag(key: string): string {
    return `f.tag_keys @> ARRAY[${this.add(key)}]::text[]`;
  }

  contains(column: string, lowered: string): string {
    return `position(${this.add(lowered)}::text in lower(${column})) > 0`;
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
