/**
 * One writer at a time, across processes. The lock is a file lock that SQLite takes on a file beside the index, so the
 * operating system lets go of it when its holder dies, however it dies: there are no stale locks to clean up.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { PipelineError } from '../../runner/errors.js';
import type { ExclusiveOptions } from '../types.js';
import { storeError } from './database.js';

/** Who holds the lock; kept beside it for people and `doctor` to read. */
export interface LockHolder {
  readonly pid: number;
  readonly command: string;
  /** ISO 8601 UTC. */
  readonly started: string;
  readonly host: string;
}

export interface LockOptions extends ExclusiveOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface WriterLock {
  release(): void;
}

const lockFile = (dbFile: string): string => `${dbFile}.lock`;
const holderFile = (dbFile: string): string => `${dbFile}.writer.json`;
const RETRY_MS = 50;

/**
 * Takes the writer's lock of an index.
 * @throws {PipelineError} `index-locked`, naming the holder, when another process has it for longer than `waitMs`.
 */
export async function acquireWriterLock(dbFile: string, options: LockOptions): Promise<WriterLock> {
  const { command, now, waitMs = 0, signal, pause = wait } = options;
  let db: Database.Database | undefined;
  try {
    mkdirSync(dirname(dbFile), { recursive: true });
    db = new Database(lockFile(dbFile), { timeout: 0 });
    for (let waited = 0; !tryLock(db); waited += RETRY_MS) {
      signal?.throwIfAborted();
      if (waited >= waitMs) throw locked(dbFile, readHolder(dbFile));
      await pause(RETRY_MS);
    }
    const holder: LockHolder = {
      pid: process.pid,
      command,
      started: new Date(now()).toISOString(),
      host: hostname(),
    };
    writeFileSync(holderFile(dbFile), `${JSON.stringify(holder)}\n`);
    return lockHandle(db, dbFile);
  } catch (error) {
    db?.close();
    throw storeError(error, dbFile);
  }
}

function lockHandle(db: Database.Database, dbFile: string): WriterLock {
  return {
    release() {
      if (!db.open) return;
      rmSync(holderFile(dbFile), { force: true });
      db.close();
    },
  };
}

/** The current holder; undefined when nobody writes. What a killed process left behind does not count. */
export function lockHolder(dbFile: string): LockHolder | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(lockFile(dbFile), { timeout: 0, fileMustExist: true });
    return tryLock(db) ? undefined : readHolder(dbFile);
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

function tryLock(db: Database.Database): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

function readHolder(dbFile: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(dbFile), 'utf8')) as LockHolder;
  } catch {
    // Between taking the lock and writing the file, or the other way round.
    return undefined;
  }
}

function locked(dbFile: string, holder: LockHolder | undefined): PipelineError {
  const who = holder
    ? `process ${holder.pid} (${holder.command}) on ${holder.host} since ${holder.started}`
    : 'another process';
  return new PipelineError('index-locked', `The index is being written by ${who}.`, {
    file: dbFile,
    remedy: 'Wait until it is done, or stop it.',
    transient: true,
    fatal: true,
  });
}
