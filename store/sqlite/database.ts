/** Opens the index database file with the pragmas every connection needs, and turns SQLite's errors into ours. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { messageOf, PipelineError } from '../../runner/errors.js';

export type Db = Database.Database;

export interface DatabaseOptions {
  /** Absolute path, or `:memory:`. */
  readonly file: string;
  readonly readOnly: boolean;
}

/** How long SQLite itself waits for a lock, milliseconds (SPEC 19). */
const BUSY_TIMEOUT_MS = 5000;
/** Switching to WAL answers "busy" at once, whatever the timeout, while another process opens the file. */
const WAL_ATTEMPTS = 100;
const WAL_RETRY_MS = 50;

/**
 * Opens a database; a writer creates it. WAL, 256 MB of memory map for readers, 5 s busy timeout.
 * @throws {PipelineError} `store-missing`, `store-corrupt`, `store-readonly`, `store-locked`.
 */
export async function openDatabase({ file, readOnly }: DatabaseOptions): Promise<Db> {
  if (file !== ':memory:') {
    if (readOnly && !existsSync(file)) throw storeMissing(file);
    if (!readOnly) makeFolder(file);
  }
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly: readOnly, fileMustExist: readOnly, timeout: BUSY_TIMEOUT_MS });
    if (!readOnly) await becomeWriter(db);
    db.pragma('temp_store = MEMORY');
    // The writer reads through its page cache: mapped pages of a file it rewrites would count twice in its memory.
    db.pragma(`mmap_size = ${readOnly ? 256 * 1024 * 1024 : 0}`);
    // Also finds out now, not in the middle of a query, that the file is no database.
    db.pragma('schema_version');
    return db;
  } catch (error) {
    db?.close();
    throw storeError(error, file);
  }
}

function makeFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw storeError(error, file);
  }
}

async function becomeWriter(db: Db): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      db.pragma('journal_mode = WAL');
      break;
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY') || attempt >= WAL_ATTEMPTS) throw error;
      await wait(WAL_RETRY_MS);
    }
  }
  // NORMAL: after power loss the last transactions may be missing, the file is never broken; the next run redoes them.
  db.pragma('synchronous = NORMAL');
  // 8 MB of WAL between checkpoints, and what a slow reader made it grow to is given back to the disk.
  db.pragma('wal_autocheckpoint = 2000');
  db.pragma('journal_size_limit = 16777216');
  db.pragma('cache_size = -32768');
}

export function storeMissing(file: string): PipelineError {
  return new PipelineError('store-missing', 'There is no index yet.', {
    file,
    remedy: 'Build it with `pipeline index`.',
    fatal: true,
  });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The index is derived: whatever is wrong with the file, the remedy never costs the user a note. */
export function storeError(error: unknown, file: string): unknown {
  if (error instanceof PipelineError) return error;
  const code = codeOf(error);
  const make = (name: string, what: string, remedy: string, transient = false): PipelineError =>
    new PipelineError(name, what, { file, remedy, cause: error, transient, fatal: !transient });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return make('store-locked', 'The index is busy: another process is writing to it.', 'Try again in a moment.', true);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return make(
      'store-corrupt',
      `The index file is damaged (${messageOf(error)}).`,
      'Run `pipeline doctor --fix`: it sets the file aside and builds a new index from the notes.',
    );
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return make(
      'disk-full',
      'The disk is full; the index keeps its last complete state.',
      'Free some space and run `pipeline index` again.',
    );
  if (/^SQLITE_(READONLY|PERM|AUTH)/.test(code) || /^(EACCES|EPERM|EROFS)$/.test(code))
    return make(
      'store-readonly',
      'The index cannot be written.',
      'Check the permissions of the file and its folder, or use --db.',
    );
  if (code === 'SQLITE_CANTOPEN')
    return make(
      'store-unreadable',
      'The index file cannot be opened.',
      'Check the path and its permissions, or use --db.',
    );
  if (code.startsWith('SQLITE_IOERR'))
    return make(
      'store-io',
      `The disk failed while the index was used (${code}).`,
      'Check the disk; then run `pipeline doctor`.',
    );
  return error;
}
