/** Tables of the ledger database. It is not derived data, so changes are migrations: append, never edit. */

/**
 * Step n brings a database from `user_version` n to n+1. The file lies beside the index but apart from it: the index
 * may be deleted and rebuilt at any time, the ledger may not.
 */
export const LEDGER_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE items (
    id            TEXT PRIMARY KEY,
    source        TEXT NOT NULL,
    url           TEXT,
    title         TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    composite     REAL,
    domain        TEXT,
    domain_second TEXT,
    note          TEXT,
    reason        TEXT,
    first_seen    TEXT NOT NULL,
    last_seen     TEXT NOT NULL,
    content_hash  TEXT,
    scores        TEXT,
    article       TEXT,
    trail         TEXT
  );
  CREATE INDEX items_last_seen ON items (last_seen DESC, id);
  CREATE INDEX items_outcome ON items (outcome, last_seen DESC);
  CREATE INDEX items_source ON items (source, last_seen DESC);
  CREATE INDEX items_note ON items (note) WHERE note IS NOT NULL;

  CREATE TABLE aliases (
    alias TEXT PRIMARY KEY,
    item  TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE
  ) WITHOUT ROWID;
  CREATE INDEX aliases_item ON aliases (item);

  CREATE TABLE written (path TEXT PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE sources (name TEXT PRIMARY KEY, state TEXT NOT NULL);

  CREATE TABLE labels (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    item   TEXT NOT NULL,
    at     TEXT NOT NULL,
    kind   TEXT NOT NULL,
    domain TEXT,
    UNIQUE (item, at, kind)
  );

  CREATE TABLE journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, entry TEXT NOT NULL);
  `,
  'ALTER TABLE items ADD COLUMN decided_by TEXT',
];
