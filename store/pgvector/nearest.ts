/**
 * Vector search in PostgreSQL, on two levels: the inner one finds the nearest by the HNSW index alone, or exactly where
 * a filter leaves little; the outer one fetches their rows and lets age reorder them. Were age part of the inner order,
 * the index could not be used.
 */
import { toSql } from 'pgvector';
import { PipelineError } from '../../runner/errors.js';
import type { Filter, Hit } from '../../runner/items.js';
import { filterSql } from '../filter-sql.js';
import { candidatesOf } from '../fresh-first.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from '../rows.js';
import type { VectorMatchOptions } from '../types.js';
import { type PgClient, rows } from './connection.js';
import { Params } from './filter.js';
import { distanceSql, type IndexState, type StoredSpace, tableOf } from './vectors.js';

/**
 * A filter that leaves fewer chunks than this is answered by comparing all of them: exact, and quicker than walking a
 * graph past everything the filter hides (the failure of filter-after-KNN: five notes beside 50,000, CASES 8).
 */
const EXACT_BELOW = 20_000;
/** Filters of one state of the index whose size is remembered. */
const REMEMBERED = 64;

/** Candidates an index scan keeps at hand: more finds more of the true nearest, and costs little at this size. */
const SEARCH_LIST = 200;

/**
 * What every connection of a searcher is told. With an iterative scan the index goes on until the filter has let enough
 * through; before pgvector 0.8 there is none, and a filtered search is always exact.
 */
export function searchSettings(pgvector: string): string {
  const list = `SET hnsw.ef_search = ${SEARCH_LIST}`;
  return scansOn(pgvector) ? `${list}; SET hnsw.iterative_scan = strict_order` : list;
}

/** Whether this version's index scans can go on past what a filter hides. */
export function scansOn(pgvector: string): boolean {
  const [major = 0, minor = 0] = pgvector.split('.').map(Number);
  return major > 0 || minor >= 8;
}

export class NearestSearch {
  /** By filter, whether it leaves few chunks; valid for one generation of the index. */
  private known: { readonly generation: string; readonly few: Map<string, boolean> } | undefined;

  constructor(private readonly pgvector: string) {}

  async match(
    on: PgClient,
    { generation, space: active }: IndexState,
    vector: Float32Array,
    options: VectorMatchOptions,
  ): Promise<readonly Hit[]> {
    const space = matching(active, options.fingerprint);
    if (!space) return [];
    const exact = await this.wantsExact(on, generation, options.filter);
    const { text, values } = nearestSql(space, vector, options, exact);
    const found = await rows<HitRow & { distance: number; score: number }>(on, text, values);
    return found.map((row, i) => ({
      ...hitFromRow(row),
      score: row.score,
      cosine: 1 - row.distance,
      bm25Rank: null,
      vecRank: i + 1,
    }));
  }

  private async wantsExact(on: PgClient, generation: string, filter: Filter): Promise<boolean> {
    if (filterSql(filter, new Params()) === undefined) return false;
    if (!scansOn(this.pgvector)) return true;
    if (this.known?.generation !== generation) this.known = { generation, few: new Map() };
    const { few } = this.known;
    const key = JSON.stringify(filter);
    const known = few.get(key) ?? (await leavesFew(on, filter));
    if (few.size >= REMEMBERED) few.clear();
    few.set(key, known);
    return known;
  }
}

/** Whether a filter leaves so little that comparing all of it is the better way. Stops counting at the limit. */
async function leavesFew(on: PgClient, filter: Filter): Promise<boolean> {
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

/** The statement of a search; `exact` compares everything the filter leaves. */
export function nearestSql(
  space: StoredSpace,
  vector: Float32Array,
  options: Pick<VectorMatchOptions, 'top' | 'filter' | 'stale' | 'fingerprint'>,
  exact: boolean,
): { readonly text: string; readonly values: readonly unknown[] } {
  const { filter, stale, top } = options;
  const params = new Params();
  const distance = distanceSql(space, params.add(toSql([...vector])));
  const candidates = params.add(candidatesOf(options));
  const where = filterSql(filter, params);
  const inner =
    where === undefined
      ? `SELECT v.chunk_id AS id, ${distance} AS distance FROM ${tableOf(space)} v`
      : exact
        ? // OFFSET 0 is a fence: without it the planner may walk the index after all, and stop before it has found enough.
          `SELECT d.id, d.distance FROM (
             SELECT v.chunk_id AS id, ${distance} AS distance
             FROM chunks c JOIN files f ON f.id = c.file_id JOIN ${tableOf(space)} v ON v.chunk_id = c.id
             WHERE ${where} OFFSET 0
           ) d`
        : `SELECT v.chunk_id AS id, ${distance} AS distance
           FROM ${tableOf(space)} v JOIN chunks c ON c.id = v.chunk_id JOIN files f ON f.id = c.file_id WHERE ${where}`;
  const penalty = stale
    ? `CASE WHEN coalesce(f.updated, f.created) < ${params.add(stale.before)} THEN ${params.add(stale.penalty)}::float8 ELSE 0 END`
    : '0';
  return {
    text: `WITH nearest AS MATERIALIZED (${inner} ORDER BY ${exact && where !== undefined ? 'd.distance' : distance} LIMIT ${candidates})
      SELECT ${HIT_COLUMNS}, n.distance, 1 - n.distance - ${penalty} AS score
      FROM nearest n JOIN chunks c ON c.id = n.id JOIN files f ON f.id = c.file_id
      JOIN file_spaces fs ON fs.file_id = f.id AND fs.space_id = ${space.id}
      WHERE n.distance <> 'NaN'::float8 ORDER BY score DESC, n.distance, c.id LIMIT ${params.add(top)}`,
    values: params.values,
  };
}

/** Cosine of chosen chunks. */
export async function similarities(
  on: PgClient,
  active: StoredSpace | undefined,
  chunkIds: readonly number[],
  vector: Float32Array,
  fingerprint: string,
): Promise<ReadonlyMap<number, number>> {
  const space = matching(active, fingerprint);
  if (!space || chunkIds.length === 0) return new Map();
  const found = await rows<{ id: string; distance: number }>(
    on,
    `SELECT chunk_id AS id, v <=> $1::vector AS distance FROM ${tableOf(space)} WHERE chunk_id = ANY($2::bigint[])`,
    [toSql([...vector]), chunkIds],
  );
  return new Map(found.filter((r) => !Number.isNaN(r.distance)).map((r) => [Number(r.id), 1 - r.distance]));
}

/** The space in use, when it is the one asked for; there is none before the first vector. */
function matching(space: StoredSpace | undefined, fingerprint: string): StoredSpace | undefined {
  if (space && space.fingerprint !== fingerprint) {
    throw new PipelineError(
      'vector-mismatch',
      `The index holds vectors of the model ${space.model}; the question was embedded with another.`,
      { remedy: 'Run `pipeline index` to embed the notes with the configured model.' },
    );
  }
  return space;
}
