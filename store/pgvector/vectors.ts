/** Vector spaces in PostgreSQL: one pgvector table each, HNSW by cosine, exact search where a filter leaves little. */
import { fromSql, toSql } from 'pgvector';
import { PipelineError } from '../../runner/errors.js';
import type { Hit } from '../../runner/items.js';
import { filterSql } from '../filter-sql.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from '../rows.js';
import type { VectorMatchOptions, VectorSpace } from '../types.js';
import { type PgClient, rows, run } from './connection.js';
import { Params } from './filter.js';

/** A space as this database knows it. */
export interface StoredSpace extends VectorSpace {
  readonly id: number;
  readonly active: boolean;
}

/** pgvector's HNSW holds up to 2,000 dimensions; larger spaces are searched exactly. */
const MAX_HNSW_DIMENSIONS = 2000;
/**
 * A filter that leaves fewer chunks than this is answered by comparing all of them: exact, and quicker than walking a
 * graph past everything the filter hides (the failure of filter-after-KNN: five notes beside 50,000, CASES 8).
 */
const EXACT_BELOW = 20_000;

export const tableOf = ({ id }: { readonly id: number }): string => `chunk_vecs_${id}`;

export async function spaces(on: PgClient): Promise<readonly StoredSpace[]> {
  return rows<StoredSpace & Record<string, unknown>>(
    on,
    'SELECT id, fingerprint, model, dimensions, active FROM vector_spaces ORDER BY id',
  );
}

export async function activeSpace(on: PgClient): Promise<StoredSpace | undefined> {
  return (await spaces(on)).find((space) => space.active);
}

/** The stored form of a space, made on first use; the first space of an index becomes active at once. */
export async function ensureSpace(on: PgClient, space: VectorSpace): Promise<StoredSpace> {
  const all = await spaces(on);
  const known = all.find((s) => s.fingerprint === space.fingerprint);
  if (known) {
    if (known.dimensions === space.dimensions) return known;
    throw new PipelineError(
      'vector-dimensions',
      `The space of ${known.model} has ${known.dimensions} dimensions, not ${space.dimensions}.`,
      { remedy: 'Run `pipeline index --full` with the configured model.', fatal: true },
    );
  }
  const [made] = await rows<StoredSpace & Record<string, unknown>>(
    on,
    `INSERT INTO vector_spaces (fingerprint, model, dimensions, active) VALUES ($1, $2, $3, $4)
     RETURNING id, fingerprint, model, dimensions, active`,
    [space.fingerprint, space.model, space.dimensions, all.length === 0],
  );
  if (!made) throw new PipelineError('store-failed', 'The database did not register the vector space.');
  await run(
    on,
    `CREATE TABLE ${tableOf(made)} (
       chunk_id bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
       v vector(${Math.trunc(space.dimensions)}) NOT NULL
     )`,
  );
  return made;
}

/** Builds the graph once there is something to build it from: after a bulk load it takes a tenth of the time. */
export async function ensureIndex(on: PgClient, space: StoredSpace): Promise<void> {
  if (space.dimensions > MAX_HNSW_DIMENSIONS) return;
  const table = tableOf(space);
  await run(on, `CREATE INDEX IF NOT EXISTS ${table}_hnsw ON ${table} USING hnsw (v vector_cosine_ops)`);
}

export async function dropSpace(on: PgClient, space: StoredSpace): Promise<void> {
  await run(on, `DROP TABLE IF EXISTS ${tableOf(space)}`);
  await run(on, 'DELETE FROM vector_spaces WHERE id = $1', [space.id]);
}

/** A space becomes the one queries use when every chunk has a vector in it; its predecessors then go. */
export async function activateComplete(on: PgClient): Promise<void> {
  const all = await spaces(on);
  for (const space of all) {
    if (space.active || (await missing(on, space)) > 0) continue;
    await run(on, 'UPDATE vector_spaces SET active = (id = $1)', [space.id]);
    for (const other of all) if (other.id !== space.id) await dropSpace(on, other);
    return;
  }
}

async function missing(on: PgClient, space: StoredSpace): Promise<number> {
  const [row] = await rows<{ n: string }>(
    on,
    `SELECT count(*) AS n FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM ${tableOf(space)} v WHERE v.chunk_id = c.id)`,
  );
  return Number(row?.n ?? 0);
}

export async function countVectors(on: PgClient, space: StoredSpace): Promise<number> {
  const [row] = await rows<{ n: string }>(on, `SELECT count(*) AS n FROM ${tableOf(space)}`);
  return Number(row?.n ?? 0);
}

/** Vectors as stored, by chunk. */
export async function readVectors(
  on: PgClient,
  space: StoredSpace,
  chunkIds: readonly number[],
): Promise<ReadonlyMap<number, Float32Array>> {
  const found = await rows<{ id: string; v: string }>(
    on,
    `SELECT chunk_id AS id, v::text AS v FROM ${tableOf(space)} WHERE chunk_id = ANY($1::bigint[])`,
    [chunkIds],
  );
  return new Map(found.map(({ id, v }) => [Number(id), Float32Array.from(fromSql(v) as number[])]));
}

export async function insertVectors(
  on: PgClient,
  space: StoredSpace,
  vectors: readonly (readonly [chunkId: number, vector: Float32Array])[],
): Promise<void> {
  if (vectors.length === 0) return;
  await run(
    on,
    `INSERT INTO ${tableOf(space)} (chunk_id, v)
     SELECT id, v::vector FROM unnest($1::bigint[], $2::text[]) AS given(id, v)
     ON CONFLICT (chunk_id) DO UPDATE SET v = excluded.v`,
    [vectors.map(([id]) => id), vectors.map(([, v]) => toSql([...v]) as string)],
  );
}

/** The statement of a vector search: the nearest by the index (or exactly, when filtered to little), then their rows. */
export async function nearestSql(
  on: PgClient,
  space: StoredSpace,
  vector: Float32Array,
  { top, filter }: Pick<VectorMatchOptions, 'top' | 'filter'>,
): Promise<{ readonly text: string; readonly values: readonly unknown[] }> {
  const params = new Params();
  const asked = params.add(toSql([...vector]));
  const limit = params.add(top);
  const where = filterSql(filter, params);
  const table = tableOf(space);
  const distance = `v.v <=> ${asked}::vector`;
  const few = where !== undefined && (await fewMatch(on, filter));
  const nearest =
    where === undefined
      ? `SELECT v.chunk_id AS id, ${distance} AS distance FROM ${table} v ORDER BY ${distance} LIMIT ${limit}`
      : few
        ? `SELECT a.id, ${distance} AS distance FROM (
             SELECT c.id FROM chunks c JOIN files f ON f.id = c.file_id WHERE ${where} OFFSET 0
           ) a JOIN ${table} v ON v.chunk_id = a.id ORDER BY distance LIMIT ${limit}`
        : `SELECT v.chunk_id AS id, ${distance} AS distance
           FROM ${table} v JOIN chunks c ON c.id = v.chunk_id JOIN files f ON f.id = c.file_id
           WHERE ${where} ORDER BY ${distance} LIMIT ${limit}`;
  return {
    text: `WITH nearest AS MATERIALIZED (${nearest})
      SELECT ${HIT_COLUMNS}, n.distance FROM nearest n JOIN chunks c ON c.id = n.id JOIN files f ON f.id = c.file_id
      JOIN file_spaces fs ON fs.file_id = f.id AND fs.space_id = ${space.id}
      WHERE n.distance <> 'NaN'::float8 ORDER BY n.distance, c.id`,
    values: params.values,
  };
}

/** Whether a filter leaves so little that comparing all of it is the better way. Stops counting at the limit. */
async function fewMatch(on: PgClient, filter: VectorMatchOptions['filter']): Promise<boolean> {
  const params = new Params();
  const where = filterSql(filter, params) ?? 'true';
  const [row] = await rows<{ n: string }>(
    on,
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM chunks c JOIN files f ON f.id = c.file_id WHERE ${where} LIMIT ${EXACT_BELOW}
     ) AS few`,
    params.values,
  );
  return Number(row?.n ?? 0) < EXACT_BELOW;
}

export async function matchVector(
  on: PgClient,
  vector: Float32Array,
  options: VectorMatchOptions,
): Promise<readonly Hit[]> {
  const space = await matchingSpace(on, options.fingerprint);
  if (!space) return [];
  const { text, values } = await nearestSql(on, space, vector, options);
  const found = await rows<HitRow & { distance: number }>(on, text, values);
  return found.map((row, i) => ({
    ...hitFromRow(row),
    score: 1 - row.distance,
    cosine: 1 - row.distance,
    bm25Rank: null,
    vecRank: i + 1,
  }));
}

/** Cosine of chosen chunks. */
export async function similarities(
  on: PgClient,
  chunkIds: readonly number[],
  vector: Float32Array,
  fingerprint: string,
): Promise<ReadonlyMap<number, number>> {
  const space = await matchingSpace(on, fingerprint);
  if (!space || chunkIds.length === 0) return new Map();
  const found = await rows<{ id: string; distance: number }>(
    on,
    `SELECT chunk_id AS id, v <=> $1::vector AS distance FROM ${tableOf(space)} WHERE chunk_id = ANY($2::bigint[])`,
    [toSql([...vector]), chunkIds],
  );
  return new Map(found.filter((r) => !Number.isNaN(r.distance)).map((r) => [Number(r.id), 1 - r.distance]));
}

async function matchingSpace(on: PgClient, fingerprint: string): Promise<StoredSpace | undefined> {
  const space = await activeSpace(on);
  if (space && space.fingerprint !== fingerprint) {
    throw new PipelineError(
      'vector-mismatch',
      `The index holds vectors of the model ${space.model}; the question was embedded with another.`,
      { remedy: 'Run `pipeline index` to embed the notes with the configured model.' },
    );
  }
  return space;
}
