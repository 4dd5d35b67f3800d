/** Connections to PostgreSQL: where the server is, how long to wait for it, and what its errors mean to a user. */
import { setTimeout as wait } from 'node:timers/promises';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient, type QueryResultRow } from 'pg';
import { isLanguage, LANGUAGES, type Language } from '../../lib/query/stemmer.js';
import { messageOf, PipelineError } from '../../runner/errors.js';

/** Where an index lives: a server, a database, and a schema of its own in it for each vault. */
export interface PgPlace {
  readonly config: ClientConfig;
  readonly schema: string;
  /** A statement that takes longer is cancelled; 0: none is. */
  readonly timeoutMs: number;
  /** In which the index's words are to be stemmed; undefined: in whichever it has. */
  readonly language?: Language;
  /** Statements that every further connection begins with. */
  readonly settings?: string;
  /** For messages: never holds the password. */
  readonly shown: string;
}

export type PgClient = Client | PoolClient;

const DEFAULT_SCHEMA = 'sluice';
const CONNECT_TRIES = 4;
const FIRST_WAIT_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than any query of ours on a healthy server: 50,700 chunks are searched in under 100 ms. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Connections a pool opens at most. */
const CONNECTIONS = 4;

const VERIFIED_MODES: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca']);

/**
 * Reads `postgres://user@host/database?schema=team&sslmode=verify-full`. The password may stand in the URL, in
 * PGPASSWORD, or in the file PGPASSFILE names; `statement_timeout` is in milliseconds, `language` how words are stemmed.
 * @throws {PipelineError} `store-url` when it is not such a URL.
 */
export function parsePlace(url: string): PgPlace {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw badUrl('It is not a URL.');
  }
  if (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:')
    throw badUrl('It does not start with postgres://.');
  const schema = parsed.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw badUrl(`"${schema}" is no schema name.`);
  const timeout = Number(parsed.searchParams.get('statement_timeout') ?? STATEMENT_TIMEOUT_MS);
  if (!Number.isInteger(timeout) || timeout < 0) throw badUrl('statement_timeout is no number of milliseconds.');
  const language = parsed.searchParams.get('language') ?? undefined;
  if (language !== undefined && !isLanguage(language))
    throw badUrl(`"${language}" is no language; there are ${LANGUAGES.join(', ')}.`);
  for (const own of ['schema', 'statement_timeout', 'language']) parsed.searchParams.delete(own);
  // The driver verifies certificates in all of these modes, and warns that it will not for ever. Ours says what is meant.
  if (VERIFIED_MODES.has(parsed.searchParams.get('sslmode') ?? '')) parsed.searchParams.set('sslmode', 'verify-full');
  return {
    schema,
    timeoutMs: timeout,
    ...(language === undefined ? {} : { language }),
    shown: `${parsed.hostname}${parsed.port === '' ? '' : `:${parsed.port}`}${parsed.pathname} (schema ${schema})`,
    config: {
      connectionString: parsed.toString(),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'sluice',
      keepAlive: true,
    },
  };
}

function badUrl(why: string): PipelineError {
  return new PipelineError('store-url', `The setting \`store\` does not name a PostgreSQL database. ${why}`, {
    remedy: 'Write it as postgres://user@host/database?schema=team, best through an environment variable.',
  });
}

/** One connection of its own, for the writer. Waits for a server that is starting. */
export async function connect(place: PgPlace, pause: (ms: number) => Promise<unknown> = wait): Promise<Client> {
  for (let tries = 1; ; tries++) {
    const client = new Client(place.config);
    // Without a listener a connection lost between two queries would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await prepareSession(client, place);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const mapped = pgError(error, place);
      if (!mapped.transient || tries >= CONNECT_TRIES) throw mapped;
      await pause(FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
}

/** A pool; the connections of a reader's refuse to write, from their first statement on. */
export function openPool(place: PgPlace, readOnly: boolean): Pool {
  const pool = new Pool({
    ...place.config,
    ...(readOnly ? { options: '-c default_transaction_read_only=on' } : {}),
    max: CONNECTIONS,
    idleTimeoutMillis: 30_000,
    // Awaited before the connection's first user has it.
    onConnect: (client) => prepareSession(client, place),
  });
  pool.on('error', () => undefined);
  // The pool listens to idle connections only; one that is lost while in use would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * For a planner that guesses at spinning disks and does not know what taking a tsvector apart costs: with its default a
 * common word is looked for in the whole table (90 ms of 50,700 chunks, 12 by the index). Compiling a query that takes
 * milliseconds takes longer than the query.
 */
const PLANNING = 'SET random_page_cost = 1.1; SET jit = off';

/** Extensions stay in `public`, where `CREATE EXTENSION` puts them. */
async function prepareSession(client: ClientBase, { schema, timeoutMs, settings = '' }: PgPlace): Promise<void> {
  await client.query(
    `SET search_path = "${schema}", public; SET statement_timeout = ${timeoutMs}; ${PLANNING}; ${settings}`,
  );
}

/** Runs one statement and gives its rows. */
export async function rows<R extends QueryResultRow>(
  on: PgClient | Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await on.query<R>(text, values.map(storable))).rows;
}

/** Runs one statement for what it does. */
export async function run(on: PgClient, text: string, values: readonly unknown[] = []): Promise<void> {
  await on.query(text, values.map(storable));
}

/** PostgreSQL's text cannot hold NUL; notes can. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) ? value.map(storable) : value;
}

interface Meaning {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly transient?: boolean;
  readonly fatal?: boolean;
}

const LOST: Meaning = {
  code: 'store-lost',
  message: 'The connection to the database was lost. What was being written was rolled back.',
  remedy: 'Run the same command again; it goes on where this one stopped.',
  transient: true,
  fatal: true,
};
const UNREACHABLE: Meaning = {
  code: 'store-unreachable',
  message: 'The database server does not answer.',
  remedy: 'Start it, or check host and port in `store`.',
  transient: true,
  fatal: true,
};
const LOGIN: Meaning = {
  code: 'store-login',
  message: 'The database refused the user or the password.',
  remedy: 'Check the user in `store`, and PGPASSWORD or the file PGPASSFILE names.',
  fatal: true,
};
const TLS: Meaning = {
  code: 'store-tls',
  message: 'No trustworthy encrypted connection to the database could be made.',
  remedy:
    'Name the authority of its certificate with `sslrootcert=FILE` in `store`, and a host name the certificate holds; on a network you trust, `sslmode=disable` does without.',
  fatal: true,
};
const READ_ONLY: Meaning = {
  code: 'store-readonly',
  message: 'This database user may only read.',
  remedy: 'Index with the writing role; see docs/team.md.',
  fatal: true,
};

/** By SQLSTATE, by its class, or by the socket's error code. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  '57P03': UNREACHABLE,
  '53300': {
    ...UNREACHABLE,
    message: 'The database has no connection free.',
    remedy: 'Close other programs, or raise max_connections.',
  },
  CERT_HAS_EXPIRED: TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: TLS,
  SELF_SIGNED_CERT_IN_CHAIN: TLS,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TLS,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TLS,
  ECONNRESET: LOST,
  EPIPE: LOST,
  '57P01': LOST,
  '57P02': LOST,
  '08': LOST,
  '28': LOGIN,
  '55P03': {
    code: 'index-locked',
    message: 'The index is being written by another process.',
    remedy: 'Wait until it is done, or stop it.',
    transient: true,
    fatal: true,
  },
  '42501': READ_ONLY,
  '25006': READ_ONLY,
  '3D000': {
    code: 'store-missing',
    message: 'The server has no database of that name.',
    remedy: 'Create it with `createdb`, or correct `store`.',
    fatal: true,
  },
  '57014': {
    code: 'store-timeout',
    message: 'The database took too long and the statement was cancelled.',
    remedy: 'Try again; `pipeline doctor` shows bloat and missing indexes.',
    transient: true,
  },
  '53100': {
    code: 'disk-full',
    message: 'The disk of the database server is full.',
    remedy: 'Free space there.',
    fatal: true,
  },
  '22000': {
    code: 'vector-dimensions',
    message: 'A vector has another number of dimensions than its space.',
    remedy: 'Run `pipeline index --full` with the configured model.',
  },
};

/** What a database error means to a user. Other errors pass through unchanged in meaning. */
export function pgError(error: unknown, { shown }: PgPlace): PipelineError {
  if (error instanceof PipelineError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const text = messageOf(error);
  const lost = /Connection terminated|connection is closed|not queryable/i.test(text) ? LOST : undefined;
  const plain = /does not support SSL/i.test(text) ? TLS : undefined;
  const slow = /timeout exceeded when trying to connect|timeout expired/i.test(text) ? UNREACHABLE : undefined;
  const meaning = MEANINGS[code] ?? MEANINGS[code.slice(0, 2)] ?? lost ?? plain ?? slow;
  if (!meaning) return new PipelineError('store-failed', `The database ${shown} said: ${text}`, { cause: error });
  const { message, ...rest } = meaning;
  return new PipelineError(meaning.code, `${message} (${shown}: ${text})`, { ...rest, cause: error });
}

/** As `pgError`, but what a caller's own work threw passes through: only the driver's errors carry a code or speak of a connection. */
export function mappedError(error: unknown, place: PgPlace): unknown {
  const fromDriver =
    typeof (error as { code?: unknown } | null)?.code === 'string' || /[Cc]onnection/.test(String(error));
  return error instanceof PipelineError || !fromDriver ? error : pgError(error, place);
}
