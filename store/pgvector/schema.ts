/** Tables of index and ledger in PostgreSQL, by numbered steps: a team's database is upgraded in place. */
import { PipelineError } from '../../runner/errors.js';
import { type PgClient, type PgPlace, rows } from './connection.js';

/**
 * Each step runs once, in order, in one transaction. `files.tag_keys` holds every tag in lower case with its parents
 * (`a`, `a/b`), so that one containment test answers "tag or its children". `chunks.fts` is made in process from the
 * same words and stems as SQLite's index: A text, B section, C title and path, D parts of identifiers and CJK pairs.
 */
const STEPS: readonly string[] = [
  `
CREATE TABLE files (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  path text COLLATE "C" NOT NULL UNIQUE,
  name_key text NOT NULL,
  size bigint NOT NULL,
  mtime_ns text NOT NULL,
  hash bytea NOT NULL,
  chunks integer NOT NULL,
  recipe text,
  title text NOT NULL,
  type text, domain text, status text, created text COLLATE "C", updated text COLLATE "C", source text, sensitivity text,
  tags text[] NOT NULL DEFAULT '{}',
  tag_keys text[] NOT NULL DEFAULT '{}',
  aliases text[],
  alias_keys text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX files_name ON files (name_key);
CREATE INDEX files_updated ON files (updated);
CREATE INDEX files_tags ON files USING gin (tag_keys);
CREATE INDEX files_aliases ON files USING gin (alias_keys);
CREATE TABLE chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id bigint NOT NULL REFERENCES files ON DELETE CASCADE,
  idx integer NOT NULL,
  line_from integer NOT NULL,
  line_to integer NOT NULL,
  hash bytea NOT NULL,
  section text NOT NULL,
  heading_context text NOT NULL,
  text text NOT NULL,
  words integer NOT NULL,
  fts tsvector NOT NULL,
  UNIQUE (file_id, idx) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX chunks_hash ON chunks (hash);
CREATE INDEX chunks_fts ON chunks USING gin (fts);
CREATE TABLE links (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id bigint NOT NULL REFERENCES files ON DELETE CASCADE,
  key text NOT NULL,
  target text NOT NULL,
  heading text,
  alias text,
  embed boolean NOT NULL,
  line integer NOT NULL
);
CREATE INDEX links_file ON links (file_id);
CREATE INDEX links_key ON links (key);
CREATE TABLE vector_spaces (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fingerprint text NOT NULL UNIQUE,
  model text NOT NULL,
  dimensions integer NOT NULL,
  active boolean NOT NULL DEFAULT false
);
CREATE TABLE file_spaces (
  file_id bigint NOT NULL REFERENCES files ON DELETE CASCADE,
  space_id integer NOT NULL REFERENCES vector_spaces ON DELETE CASCADE,
  PRIMARY KEY (file_id, space_id)
);
CREATE TABLE model_meta (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO model_meta VALUES ('generation', '0');
`,
  // The ledger. Times are ISO 8601 UTC text, compared byte by byte as in the other ledgers.
  `
CREATE TABLE ledger_items (
  id text COLLATE "C" PRIMARY KEY,
  source text NOT NULL,
  url text,
  title text NOT NULL,
  outcome text NOT NULL,
  composite double precision,
  domain text, domain_second text, note text, reason text,
  first_seen text COLLATE "C" NOT NULL,
  last_seen text COLLATE "C" NOT NULL,
  content_hash text, scores text, article text, trail text, decided_by text
);
CREATE INDEX ledger_items_last_seen ON ledger_items (last_seen DESC, id);
CREATE INDEX ledger_items_outcome ON ledger_items (outcome, last_seen DESC);
CREATE INDEX ledger_items_source ON ledger_items (source, last_seen DESC);
CREATE INDEX ledger_items_note ON ledger_items (note) WHERE note IS NOT NULL;
CREATE TABLE ledger_aliases (
  alias text COLLATE "C" PRIMARY KEY,
  item text COLLATE "C" NOT NULL REFERENCES ledger_items ON DELETE CASCADE
);
CREATE INDEX ledger_aliases_item ON ledger_aliases (item);
CREATE TABLE ledger_written (path text PRIMARY KEY, text text NOT NULL);
CREATE TABLE ledger_sources (name text PRIMARY KEY, state text NOT NULL);
CREATE TABLE ledger_labels (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item text NOT NULL, at text NOT NULL, kind text NOT NULL, domain text,
  UNIQUE (item, at, kind)
);
CREATE TABLE ledger_journal (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at text NOT NULL, entry text NOT NULL
);
`,
];

const VERSION = 'schema-version';

/** Creates the schema or brings it up to date; several processes may call it at once. */
export async function prepareSchema(client: PgClient, { schema }: PgPlace): Promise<void> {
  await client.query('BEGIN');
  try {
    // Two indexers that start together must not both create the tables.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('sluice-schema'))`);
    // Asked first: a role that may not create schemas may still fill the one it was given.
    const [there] = await rows<{ name: string | null }>(client, 'SELECT to_regnamespace($1) AS name', [`"${schema}"`]);
    if (!there?.name) await client.query(`CREATE SCHEMA "${schema}"`);
    const have = await schemaVersion(client, schema);
    for (const step of STEPS.slice(have)) await client.query(step);
    if (have < STEPS.length) {
      await client.query(
        'INSERT INTO model_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [VERSION, String(STEPS.length)],
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Readers do not create: no tables means no index yet. */
export async function checkSchema(client: PgClient, place: PgPlace): Promise<void> {
  const have = await schemaVersion(client, place.schema);
  if (have === STEPS.length) return;
  throw new PipelineError(
    have === 0 ? 'store-missing' : 'store-outdated',
    have === 0 ? `There is no index at ${place.shown}.` : `The index at ${place.shown} is of another version.`,
    { remedy: 'Run `pipeline index` with the writing role.', fatal: true },
  );
}

/** Whether there is an index of this program's version. */
export async function isCurrent(client: PgClient, { schema }: PgPlace): Promise<boolean> {
  return (await schemaVersion(client, schema)) === STEPS.length;
}

async function schemaVersion(client: PgClient, schema: string): Promise<number> {
  const [table] = await rows<{ name: string | null }>(client, 'SELECT to_regclass($1) AS name', [
    `"${schema}".model_meta`,
  ]);
  if (!table?.name) return 0;
  const [row] = await rows<{ value: string }>(client, 'SELECT value FROM model_meta WHERE key = $1', [VERSION]);
  return Number(row?.value ?? 0);
}

/** Makes sure pgvector is there and gives its version; undefined when it is not. Search then goes on with keywords. */
export async function loadVectors(client: PgClient, mayCreate: boolean): Promise<string | undefined> {
  const installed = async (): Promise<string | undefined> =>
    (await rows<{ v: string }>(client, `SELECT extversion AS v FROM pg_extension WHERE extname = 'vector'`))[0]?.v;
  const found = await installed();
  if (found !== undefined || !mayCreate) return found;
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS vector SCHEMA public');
  } catch {
    // The reason given is the same whether the package or the right to install it is missing.
  }
  return installed();
}

export const NO_VECTORS =
  'The extension "vector" is not installed in the database: install pgvector on the server and run CREATE EXTENSION vector as its owner.';
