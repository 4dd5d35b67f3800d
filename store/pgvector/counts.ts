/** How much the index holds. */
import { DEFAULT_SENSITIVITY, noneOfEach } from '../../lib/query/filter.js';
import type { StoreCounts } from '../types.js';
import { type PgClient, type PgPlace, rows } from './connection.js';
import { activeSpace, countVectors } from './vectors.js';

export async function countAll(on: PgClient, { schema }: PgPlace, hasVectors: boolean): Promise<StoreCounts> {
  const [row] = await rows<Record<'notes' | 'chunks' | 'links' | 'bytes', string>>(
    on,
    `SELECT (SELECT count(*) FROM files) AS notes, (SELECT count(*) FROM chunks) AS chunks,
       (SELECT count(*) FROM links) AS links,
       (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
        WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r') AS bytes`,
    [`"${schema}"`],
  );
  const space = hasVectors ? await activeSpace(on) : undefined;
  const classes = await rows<{ name: string; n: string }>(
    on,
    'SELECT coalesce(sensitivity, $1) AS name, count(*) AS n FROM files GROUP BY 1',
    [DEFAULT_SENSITIVITY],
  );
  return {
    notes: Number(row?.notes ?? 0),
    chunks: Number(row?.chunks ?? 0),
    vectors: space ? await countVectors(on, space) : 0,
    links: Number(row?.links ?? 0),
    bytes: Number(row?.bytes ?? 0),
    sensitivity: { ...noneOfEach(), ...Object.fromEntries(classes.map(({ name, n }) => [name, Number(n)])) },
  };
}
