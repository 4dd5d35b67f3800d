/** The team pipelines on a server: what they send, and how PostgreSQL plans it. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPgStore } from '../../../store/pgvector/open.js';
import type { ChunkStore } from '../../../store/types.js';
import { makeNote, SPACE } from '../../contract/notes.js';
import { startServer, type TestServer } from '../../support/pg-server.js';
import { ask, NOW } from '../../support/search-fixture.js';

const NOTES = 40;
const CHUNKS_EACH = 100;

let server: TestServer;
let store: ChunkStore;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.freshUrl();
  store = await openPgStore({ url });
  for (let n = 0; n < NOTES; n++) {
    const chunks = Array.from({ length: CHUNKS_EACH }, (_, i) => {
      const angle = (n * CHUNKS_EACH + i) / (NOTES * CHUNKS_EACH);
      return [`release ${n} ${i}`, [Math.cos(angle), Math.sin(angle), 0, 0]] as const;
    });
    const updated = n === 0 ? '2024-01-01' : '2026-06-01';
    await store.putNote(makeNote(`notes/${n}.md`, chunks, { meta: { updated } }), SPACE);
  }
  await store.optimize();
}, 300_000);
afterAll(async () => {
  await store.close();
  await server.stop();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Order By'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The statements that compare vectors while `work` runs, as they are sent. */
async function vectorStatements(work: () => Promise<unknown>): Promise<{ text: string; values: unknown[] }[]> {
  const sent = vi.spyOn(Client.prototype, 'query');
  try {
    await work();
    return sent.mock.calls.flatMap(([text, values]) =>
      typeof text === 'string' && text.includes('<=>') ? [{ text, values: values as unknown as unknown[] }] : [],
    );
  } finally {
    sent.mockRestore();
  }
}

const teamSearch = (): ReturnType<typeof ask> =>
  ask({
    pipeline: readFileSync('pipelines/team-search.yaml', 'utf8'),
    query: { text: 'release', limit: 5 },
    resources: {
      store: () => store,
      embedder: () => ({
        ...SPACE,
        id: SPACE.model,
        embed: async (texts) => texts.map(() => Float32Array.from([1, 0, 0, 0])),
      }),
    },
  });

test('team-search walks the HNSW index, and takes the six-month penalty off outside of it', async () => {
  const [statement, ...others] = await vectorStatements(teamSearch);
  expect(others.filter(({ text }) => text.includes('LIMIT'))).toEqual([]);
  const { text = '', values = [] } = statement ?? {};
  const { place } = store as Awaited<ReturnType<typeof openPgStore>>;
  const client = new Client(place.config);
  await client.connect();
  await client.query(`SET search_path = "${place.schema}", public; ${place.settings}`);
  const [row] = (await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`EXPLAIN (FORMAT JSON) ${text}`, values))
    .rows;
  await client.end();
  const top = row?.['QUERY PLAN'][0].Plan;
  const nodes = top ? nodesOf(top) : [];

  // Inside: the nearest by the index, in the order it gives them, and nothing about age.
  const inner = nodes.find((node) => node['Subplan Name'] === 'CTE nearest');
  const inside = inner ? nodesOf(inner) : [];
  const scan = inside.find((node) => node['Node Type'] === 'Index Scan');
  expect(scan?.['Index Name']).toMatch(/^chunk_vecs_\d+_hnsw$/);
  expect(scan?.['Order By']).toContain('<=>');
  expect(inside.map((node) => node['Node Type'])).toEqual(['Limit', 'Index Scan']);
  expect(JSON.stringify(inside)).not.toContain('updated');

  // Outside: the order by a score that age lowers.
  const sort = nodes.find((node) => node['Node Type'].endsWith('Sort') && !inside.includes(node));
  expect(sort?.['Sort Key']?.[0]).toMatch(/CASE WHEN \(COALESCE\(f\.updated, f\.created\) < /);
  const halfAYearAgo = new Date(NOW);
  halfAYearAgo.setUTCMonth(halfAYearAgo.getUTCMonth() - 6);
  const day = Date.parse(String(values.find((value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value)))));
  expect(Math.abs(day - halfAYearAgo.getTime())).toBeLessThan(4 * 86_400_000);
  expect(values).toContain(0.05);
});

test('the nearest chunks are of a stale note, and fresh ones come before them', async () => {
  const near = (stale: boolean): ReturnType<ChunkStore['matchVector']> =>
    store.matchVector(Float32Array.from([1, 0, 0, 0]), {
      top: 5,
      filter: {},
      fingerprint: SPACE.fingerprint,
      ...(stale ? { stale: { before: '2026-01-01', penalty: 0.05, candidates: 150 } } : {}),
    });
  expect(new Set((await near(false)).map((hit) => hit.path))).toEqual(new Set(['notes/0.md']));
  expect(new Set((await near(true)).map((hit) => hit.path))).toEqual(new Set(['notes/1.md']));
});
