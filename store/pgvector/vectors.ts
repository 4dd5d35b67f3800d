/** Vector spaces in PostgreSQL: one pgvector table each, with an HNSW index by cosine. */
import { fromSql, toSql } from 'pgvector';
import { PipelineError } from '../../runner/errors.js';
import type { VectorSpace } from '../types.js';
import { type PgClient, rows, run } from './connection.js';

/** A space as this database knows it. */
export interface StoredSpace extends VectorSpace {
  readonly id: number;
  readonly active: boolean;
}

/** Key in `model_meta` of the number of commits. */
export const GENERATION = 'generation';

/** pgvector's HNSW holds up to 2,000 dimensions of four bytes or 4,000 of two; larger spaces are searched exactly. */
const MAX_HNSW_VECTOR = 2000;
const MAX_HNSW_HALFVEC = 4000;
/** Building a graph in memory is many times quicker than on disk; 100,000 vectors of 384 dimensions fit in this. */
const BUILD_MEMORY = '256MB';

export const tableOf = ({ id }: { readonly id: number }): string => `chunk_vecs_${id}`;

export async function spaces(on: PgClient): Promise<readonly StoredSpace[]> {
  return rows<StoredSpace & Record<string, unknown>>(
    on,
    'SELECT id, fingerprint, model, dimensions, active FROM vector_spaces ORDER BY id',
  );
}

/** What a search needs to know first, in one question. */
export interface IndexState {
  /** Changes with every commit. */
  readonly generation: string;
  /** The space queries use. */
  readonly space: StoredSpace | undefined;
}

export async function indexState(on: PgClient): Promise<IndexState> {
  const [row] = await rows<Partial<StoredSpace> & { generation: string | null }>(
    on,
    `SELECT m.value AS generation, s.id, s.fingerprint, s.model, s.dimensions, s.active
     FROM (SELECT $1::text AS key) AS wanted LEFT JOIN model_meta m USING (key) LEFT JOIN vector_spaces s ON s.active`,
    [GENERATION],
  );
  const { generation, id, ...rest } = row ?? { generation: null };
  return {
    generation: generation ?? '0',
    space: typeof id === 'number' ? ({ id, ...rest } as StoredSpace) : undefined,
  };
}

export async function activeSpace(on: PgClient): Promise<StoredSpace | undefined> {
  return (await indexState(on)).space;
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

/** The type distances are computed in: a large space is indexed, and so compared, with two bytes a dimension. */
function comparedAs(dimensions: number): 'vector' | 'halfvec' {
  return dimensions > MAX_HNSW_VECTOR && dimensions <= MAX_HNSW_HALFVEC ? 'halfvec' : 'vector';
}

/** The cosine distance of the stored vector `v.v` to a parameter, in the very words the index was built with. */
export function distanceSql({ dimensions }: StoredSpace, parameter: string): string {
  const type = comparedAs(dimensions);
  return type === 'vector'
    ? `v.v <=> ${parameter}::vector`
    : `v.v::halfvec(${dimensions}) <=> ${parameter}::halfvec(${dimensions})`;
}

export const indexOf = (space: StoredSpace): string => `${tableOf(space)}_hnsw`;

/** Larger spaces are searched exactly. */
export const isIndexable = ({ dimensions }: StoredSpace): boolean => dimensions <= MAX_HNSW_HALFVEC;

/** Builds the graph once there is something to build it from: after a bulk load it takes a tenth of the time. */
export async function ensureIndex(on: PgClient, space: StoredSpace): Promise<void> {
  const { dimensions } = space;
  if (!isIndexable(space)) return;
  const type = comparedAs(dimensions);
  const column = type === 'vector' ? 'v' : `(v::halfvec(${dimensions}))`;
  await on.query(`SET LOCAL maintenance_work_mem = '${BUILD_MEMORY}'; SET LOCAL statement_timeout = 0`);
  await run(
    on,
    `CREATE INDEX IF NOT EXISTS ${indexOf(space)} ON ${tableOf(space)} USING hnsw (${column} ${type}_cosine_ops)`,
  );
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
