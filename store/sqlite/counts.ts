/** How much an index holds. */
import { DEFAULT_SENSITIVITY, noneOfEach } from '../../lib/query/filter.js';
import type { StoreCounts } from '../types.js';
import type { Db } from './database.js';
import type { VectorIndex } from './vectors.js';

export function countAll(db: Db, vectors: VectorIndex | undefined): StoreCounts {
  const one = (sql: string): number => db.prepare<[], { n: number }>(sql).get()?.n ?? 0;
  const active = vectors?.active();
  const classes = db
    .prepare<[string], { name: string; n: number }>(
      'SELECT coalesce(sensitivity, ?) AS name, count(*) AS n FROM files GROUP BY 1',
    )
    .all(DEFAULT_SENSITIVITY);
  return {
    notes: one('SELECT count(*) AS n FROM files'),
    chunks: one('SELECT count(*) AS n FROM chunks'),
    vectors: active && vectors ? vectors.count(active) : 0,
    links: one('SELECT count(*) AS n FROM links'),
    bytes: one('SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()'),
    sensitivity: { ...noneOfEach(), ...Object.fromEntries(classes.map(({ name, n }) => [name, n])) },
  };
}
