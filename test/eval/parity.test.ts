/** The shipped search answers alike on PostgreSQL and SQLite, measured on real collections (../shared/eval). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { startServer, type TestServer } from '../support/pg-server.js';

const SETS = resolve('../shared/eval/ir');
/** PGlite runs in WebAssembly on one thread: all three collections are for a server, named by PGURL. */
const NAMES = process.env['PGURL'] ? ['cacm', 'cisi', 'cosqa-dev'] : ['cacm'];
/** Candidates come from `ts_rank` instead of BM25 itself; what is left of that after 120 of them are scored again. */
const TOLERANCE = 0.02;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());

interface Printed {
  readonly arms: Readonly<Record<'bm25' | 'vector' | 'search', { readonly ndcg10: number }>>;
}

test.skipIf(!existsSync(SETS)).each(NAMES)(
  '%s: nDCG@10 within 0.02 of the other store',
  async (name) => {
    const evaluate = async (store: string): Promise<Printed> => {
      const { stdout, stderr, code } = await runCli([
        'eval',
        '--beir',
        resolve(SETS, name),
        '--json',
        '--store',
        store,
      ]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return JSON.parse(stdout) as Printed;
    };
    const sqlite = await evaluate('sqlite');
    const postgres = await evaluate(server.freshUrl());
    for (const arm of ['bm25', 'vector', 'search'] as const)
      expect(Math.abs(postgres.arms[arm].ndcg10 - sqlite.arms[arm].ndcg10)).toBeLessThanOrEqual(TOLERANCE);
    expect(postgres.arms.search.ndcg10).toBeGreaterThan(postgres.arms.bm25.ndcg10);
    // Its schema is gone again.
    const left = await server.sql(
      `SELECT 1 FROM information_schema.schemata WHERE schema_name LIKE 'sluice_temporary%'`,
    );
    expect(left).toEqual([]);
  },
  600_000,
);
