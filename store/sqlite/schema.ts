/** Tables of the index. It is derived data: another format version is emptied and rebuilt, never migrated. */
import { PipelineError } from '../../runner/errors.js';
import { type Db, storeMissing } from './database.js';
import { TEXT_SCHEMA, TEXT_VERSION } from './text.js';

/** Raised with every change of these tables; the keyword index has a version of its own. */
const FORMAT = 2;
/** Stored in the file's `user_version`. */
export const SCHEMA_VERSION = FORMAT * 1000 + TEXT_VERSION;

/**
 * `chunks.text`, `section`, `heading_context`, `path` (NFC) and `terms` are the external content of `chunks_fts`. Vectors live in one vec0
 * table a space, named in `vector_spaces`; `file_spaces` says that every chunk of that file has a vector in that space.
 */
const TABLES = `
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  name_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  hash BLOB NOT NULL,
  chunks INTEGER NOT NULL,
  recipe TEXT,
  title TEXT NOT NULL,
  type TEXT, domain TEXT, status TEXT, created TEXT, updated TEXT, source TEXT, sensitivity TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  aliases TEXT
) STRICT;
CREATE INDEX files_name ON files(name_key);
CREATE INDEX files_hash ON files(hash);
CREATE INDEX files_updated ON files(updated);
CREATE TABLE file_tags (
  tag TEXT NOT NULL,
  file_id INTEGER NOT NULL REFERENCES files(id),
  PRIMARY KEY (tag, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_tags_file ON file_tags(file_id);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files(id),
  idx INTEGER NOT NULL,
  line_from INTEGER NOT NULL,
  line_to INTEGER NOT NULL,
  hash BLOB NOT NULL,
  section TEXT NOT NULL,
  heading_context TEXT NOT NULL,
  text TEXT NOT NULL,
  path TEXT NOT NULL,
  terms TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_file ON chunks(file_id, idx);
CREATE INDEX chunks_hash ON chunks(hash);
CREATE TABLE links (
  file_id INTEGER NOT NULL REFERENCES files(id),
  key TEXT NOT NULL,
  target TEXT NOT NULL,
  heading TEXT,
  alias TEXT,
  embed INTEGER NOT NULL,
  line INTEGER NOT NULL
) STRICT;
CREATE INDEX links_file ON links(file_id);
CREATE INDEX links_key ON links(key);
CREATE TABLE vector_spaces (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  table_name TEXT NOT NULL UNIQUE,
  active INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE file_spaces (
  file_id INTEGER NOT NULL REFERENCES files(id),
  space_id INTEGER NOT NULL REFERENCES vector_spaces(id),
  PRIMARY KEY (file_id, space_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE model_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Creates or replaces the schema; several processes may call it at once. Says whether an older index was thrown away. */
export function prepareSchema(db: Db): 'ready' | 'created' | 'replaced' {
  if (versionOf(db) === SCHEMA_VERSION) return 'ready';
  return db
    .transaction(() => {
      const version = versionOf(db);
      if (version === SCHEMA_VERSION) return 'ready';
      const replaced = dropAll(db);
      db.exec(TABLES);
      db.exec(TEXT_SCHEMA);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
      return replaced ? 'replaced' : 'created';
    })
    .immediate();
}

function dropAll(db: Db): boolean {
  // Virtual tables first: they take their shadow tables with them.
  const names = db
    .prepare<[], { name: string; virtual: number }>(
      `SELECT name, sql LIKE 'CREATE VIRTUAL%' AS virtual FROM sqlite_schema
       WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY virtual DESC`,
    )
    .all();
  for (const { name } of names) db.exec(`DROP TABLE IF EXISTS "${name}"`);
  return names.length > 0;
}

/** Readers do not create: no schema means no index yet, another version means the writer has to run once. */
export function checkSchema(db: Db, file: string): void {
  const version = versionOf(db);
  if (version === SCHEMA_VERSION) return;
  if (version === 0) throw storeMissing(file);
  throw new PipelineError('store-outdated', 'The index was written by another version of this program.', {
    file,
    remedy: 'Run `pipeline index` once; it rebuilds what is needed.',
    fatal: true,
  });
}

function versionOf(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }));
}
