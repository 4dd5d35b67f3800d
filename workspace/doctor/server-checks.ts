/** The checks of `pipeline doctor` that look at an index on a server. */
import { existsSync } from 'node:fs';
import { messageOf, PipelineError } from '../../runner/errors.js';
import {
  type IndexInspection,
  inspectServer,
  rebuildIndexes,
  type ServerInspection,
  vacuum,
} from '../../store/pgvector/inspect.js';
import { scansOn } from '../../store/pgvector/nearest.js';
import { NO_VECTORS } from '../../store/pgvector/schema.js';
import { ledgerIfAny, serverUrl } from '../server.js';
import type { Workspace } from '../workspace.js';
import { bad, fine, remedyOf } from './checks.js';
import { checkDrift, incomparable } from './drift.js';
import { type Repairable, reindex } from './repair.js';

/** From this share of dead rows on, and from this many, a table is worth cleaning up. */
const MUCH_DEAD = 0.2;
const MANY_DEAD = 1000;
/** Share of the connections in use from which the next one may be refused. */
const CROWDED = 0.9;
/** An open transaction older than this keeps the server from cleaning up. Seconds. */
const LONG_IDLE = 300;
/** From this many rows on the planner needs to know what is in a table. */
const MANY_ROWS = 1000;

/** All findings about the server and the index there. */
export async function checkServer(workspace: Workspace): Promise<Repairable[]> {
  let found: ServerInspection;
  let url: string;
  try {
    url = serverUrl(workspace.settings);
    found = await inspectServer(url);
  } catch (error) {
    return [bad('server', messageOf(error), 'The database cannot be asked.', remedyOf(error))];
  }
  return [
    fine('server', `PostgreSQL ${found.postgres} at ${found.shown} as ${found.user}`),
    encryption(found, url),
    extension(found),
    connections(found),
    idleTransactions(found),
    ...(found.index ? await checkIndex(workspace, found.index, url) : [noIndex()]),
  ];
}

function noIndex(): Repairable {
  return {
    ...bad(
      'index',
      'There is no index there yet, or one of another version.',
      'It was never built, or the program was updated.',
      'Run `pipeline index` with the writing role, or bring yours over with `pipeline migrate --to postgres`.',
    ),
    repair: reindex,
  };
}

function encryption({ encrypted }: ServerInspection, url: string): Repairable {
  const { hostname, searchParams } = new URL(url);
  const local = ['localhost', '127.0.0.1', '[::1]', ''].includes(hostname);
  if (encrypted) return fine('encryption', 'TLS');
  if (local || searchParams.get('sslmode') === 'disable') return fine('encryption', 'none, as configured');
  return bad(
    'encryption',
    'The connection is not encrypted: notes and password cross the network in clear.',
    '`store` does not ask for TLS.',
    'Add `sslmode=verify-full` to it; on a network you trust, `sslmode=disable` says that this is meant.',
  );
}

function extension({ pgvector: { installed, available } }: ServerInspection): Repairable {
  if (installed === undefined)
    return bad(
      'pgvector',
      NO_VECTORS,
      available === undefined
        ? 'The package is not on the server; search goes on by keyword.'
        : `Version ${available} is on the server, but not in this database; search goes on by keyword.`,
      'Then run `pipeline index`.',
    );
  if (!scansOn(installed))
    return bad(
      'pgvector',
      `pgvector ${installed} cannot go on past what a filter hides.`,
      'Filtered searches compare everything the filter leaves, which is right but slow.',
      'Install 0.8 or later on the server and run ALTER EXTENSION vector UPDATE.',
    );
  const newer = available !== undefined && available !== installed;
  return fine('pgvector', newer ? `${installed}; ${available} is there: ALTER EXTENSION vector UPDATE` : installed);
}

function connections({ connections: { used, max } }: ServerInspection): Repairable {
  if (used < CROWDED * max) return fine('connections', `${used} of ${max}`);
  return bad(
    'connections',
    `${used} of ${max} connections are in use.`,
    'Each server process of ours takes up to five.',
    'Close other programs, raise max_connections, or put PgBouncer in session mode before it.',
  );
}

function idleTransactions({ idle }: ServerInspection): Repairable {
  const [oldest] = idle;
  if (!oldest || oldest.seconds < LONG_IDLE) return fine('idle-transactions');
  return bad(
    'idle-transactions',
    `"${oldest.name}" (backend ${oldest.pid}) has held a transaction open for ${Math.round(oldest.seconds / 60)} minutes.`,
    'What it may still see cannot be cleaned up, and the index grows.',
    `End that program, or run SELECT pg_terminate_backend(${oldest.pid}).`,
  );
}

async function checkIndex(workspace: Workspace, index: IndexInspection, url: string): Promise<Repairable[]> {
  return [
    fine('role', index.mayWrite ? 'may write' : 'may only read: an indexer with another role has to write'),
    fine('lock', index.writer === undefined ? '' : `${index.writer} writes`),
    agreement(index),
    vectorIndexes(index, url),
    bloat(index, url),
    ...(await checkLedger(workspace)),
    ...(await drift(workspace)),
  ];
}

function agreement({ broken, unvectored }: IndexInspection): Repairable {
  if (broken + unvectored === 0) return fine('integrity');
  return bad(
    'integrity',
    `${broken} notes lack chunks, ${unvectored} notes lack vectors they should have.`,
    'Rows were deleted by hand, or restored in part.',
    'Run `pipeline index --full`.',
  );
}

function vectorIndexes({ unindexed }: IndexInspection, url: string): Repairable {
  if (unindexed.length === 0) return fine('vector-index');
  return {
    ...bad(
      'vector-index',
      `The HNSW index ${unindexed.join(', ')} is missing or was left half built.`,
      'An index run was ended before it was built: searches compare every vector.',
      'Run `pipeline doctor --fix`: it is built now.',
    ),
    repair: async () => {
      await rebuildIndexes(url);
      return { reindex: false };
    },
  };
}

function bloat({ tables }: IndexInspection, url: string): Repairable {
  const bloated = tables.filter(({ live, dead }) => dead >= MANY_DEAD && dead >= MUCH_DEAD * (live + dead));
  const unknown = tables.filter(({ live, analyzed }) => !analyzed && live >= MANY_ROWS);
  const [worst = unknown[0]] = bloated;
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  if (!worst) return fine('bloat', `${Math.round(bytes / 1e6)} MB in ${tables.length} tables`);
  return {
    ...bad(
      'bloat',
      bloated.length > 0
        ? `${Math.round((100 * worst.dead) / (worst.live + worst.dead))} % of the rows of ${worst.name} are dead.`
        : `PostgreSQL has never counted what is in ${worst.name}.`,
      'Autovacuum is off, late, or held up by an open transaction.',
      'Run `pipeline doctor --fix`: the tables are vacuumed and analysed.',
    ),
    repair: async () => {
      await vacuum(url);
      return { reindex: false };
    },
  };
}

/** A vault that moved by its configuration alone has left its ledger in the file. */
async function checkLedger(workspace: Workspace): Promise<Repairable[]> {
  const { ledgerFile } = workspace;
  if (!existsSync(ledgerFile)) return [];
  const ledger = await ledgerIfAny(workspace);
  for await (const _ of ledger?.list({ limit: 1 }) ?? []) return [fine('ledger')];
  return [
    bad(
      'ledger',
      `The server's ledger is empty, and there is one in ${ledgerFile}.`,
      '`store` was changed: items taken in before would be new again.',
      'Run `pipeline migrate --to postgres`.',
    ),
  ];
}

async function drift(workspace: Workspace): Promise<Repairable[]> {
  try {
    return await checkDrift(workspace, await workspace.resources.use('store'));
  } catch (error) {
    // A role that may only read has said so already.
    if (error instanceof PipelineError && error.code === 'store-readonly') return [];
    return [incomparable(error)];
  }
}
