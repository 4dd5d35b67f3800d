/**
 * A PostgreSQL for tests: the server PGURL names, or PGlite with pgvector behind a socket that speaks the real protocol.
 * PGlite has one backend: what needs two at a time (locks, LISTEN, a pool at work) runs only with PGURL.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { Client } from 'pg';

export interface TestServer {
  /** True for a server with real concurrency. */
  readonly real: boolean;
  /** A URL with a schema nobody has used. */
  freshUrl(): string;
  /** Runs SQL as the owner. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

let schemas = 0;

export async function startServer(): Promise<TestServer> {
  const real = process.env['PGURL'];
  if (real !== undefined && real !== '') return serverAt(real, true, async () => undefined);
  const db = await openPGlite();
  const port = await freePort();
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port, maxConnections: 16 });
  await server.start();
  return serverAt(`postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`, false, async () => {
    await server.stop();
    await db.close();
  });
}

/** PGlite runs `initdb` in WebAssembly, ten seconds on two cores: done once a machine, then loaded from a copy. */
async function openPGlite(): Promise<PGlite> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(tmpdir(), `sluice-pglite-${version}.tar`);
  if (existsSync(copy)) return PGlite.create({ extensions: { vector }, loadDataDir: new Blob([readFileSync(copy)]) });
  const db = await PGlite.create({ extensions: { vector } });
  const dump = Buffer.from(await (await db.dumpDataDir('none')).arrayBuffer());
  const part = `${copy}.${process.pid}`;
  writeFileSync(part, dump);
  renameSync(part, copy);
  return db;
}

function serverAt(base: string, real: boolean, stop: () => Promise<void>): TestServer {
  const used: string[] = [];
  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: base });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    real,
    sql,
    freshUrl: () => {
      const schema = `t${process.pid}_${++schemas}`;
      used.push(schema);
      const url = new URL(base);
      url.searchParams.set('schema', schema);
      return url.toString();
    },
    stop: async () => {
      if (real) for (const schema of used) await sql(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await stop();
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
