/** Moves a vault's index and ledger between the files of one machine and a server, without embedding anything again. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, PipelineError } from '../runner/errors.js';
import { type CopyOptions, compareVectors, copyIndex, copyLedger, isCopy, type LedgerCopy } from '../store/copy.js';
import type { Ledger } from '../store/ledger.js';
import type { ChunkStore } from '../store/types.js';
import { isOnServer, serverUrl } from './server.js';
import type { Workspace } from './workspace.js';

export interface MigrateRequest {
  readonly to: 'postgres' | 'sqlite';
  /** The server, as the setting `store` names it; default: that setting. */
  readonly store?: string;
  /** Empties an index that is already there. */
  readonly replace?: boolean;
  /** Reads every vector back and compares it with the one it was copied from. */
  readonly verify?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: 'notes' | 'compared', done: number, total: number) => void;
}

/** Field names are those of `migrate --json`. */
export interface Migration {
  readonly from: string;
  readonly to: string;
  /** Copied now; a copy that goes on after an interruption counts the rest only. */
  readonly notes: number;
  readonly chunks: number;
  readonly vectors: number;
  /** Vectors compared bit by bit; null without `verify`. */
  readonly compared: number | null;
  /** Null where nothing was ever taken in. */
  readonly ledger: LedgerCopy | null;
  readonly seconds: number;
}

interface Side {
  readonly shown: string;
  readonly store: ChunkStore;
  readonly ledger: Ledger | undefined;
}

/** Meta value of an index that is being filled: where from. Empty when the copy has ended. */
const UNFINISHED = 'migrating-from';

/**
 * Copies. Interrupted, it goes on where it stopped when it is run again; done, there is nothing left to copy.
 * @throws {ConfigError} `migrate-usage` when no server is named.
 * @throws {PipelineError} `store-missing` without an index to copy, `migrate-target-used` when another index is there,
 * `index-locked`, and what the server says.
 */
export async function migrate(workspace: Workspace, request: MigrateRequest): Promise<Migration> {
  const { dbFile, clock } = workspace;
  const url = serverOf(workspace, request);
  const started = clock.now();
  const { acquireWriterLock } = await import('../store/sqlite/lock.js');
  const lock = await acquireWriterLock(dbFile, { command: 'pipeline migrate', now: () => clock.now() });
  const toServer = request.to === 'postgres';
  const opened: Side[] = [];
  try {
    const from = toServer ? await openFiles(workspace, true) : await openServer(url, true);
    opened.push(from);
    const to = toServer ? await openServer(url, false) : await openFiles(workspace, false);
    opened.push(to);
    const copy = (): ReturnType<typeof copyAll> => copyAll(from, to, request);
    const copied = to.store.exclusively
      ? await to.store.exclusively({ command: 'pipeline migrate' }, copy)
      : await copy();
    return { from: from.shown, to: to.shown, ...copied, seconds: (clock.now() - started) / 1000 };
  } finally {
    for (const { store, ledger } of opened) {
      await store.close();
      await ledger?.close();
    }
    lock.release();
  }
}

function serverOf({ settings }: Workspace, { store = settings.store }: MigrateRequest): string {
  if (isOnServer({ store })) return serverUrl({ store });
  throw new ConfigError('migrate-usage', 'No server is named.', {
    remedy: 'Use --store postgres://user@host/database?schema=team, or set `store` in .pipeline/config.yaml.',
  });
}

async function copyAll(
  from: Side,
  to: Side,
  { replace = false, verify = false, signal, onProgress }: MigrateRequest,
): Promise<Omit<Migration, 'from' | 'to' | 'seconds'>> {
  await prepareTarget(from, to, replace);
  const reporting = (step: 'notes' | 'compared'): CopyOptions => ({
    ...(signal ? { signal } : {}),
    onProgress: (done, total) => onProgress?.(step, done, total),
  });
  const index = await copyIndex(from.store, to.store, reporting('notes'));
  const ledger = from.ledger && to.ledger ? await copyLedger(from.ledger, to.ledger, reporting('notes')) : null;
  const compared = verify ? await compareVectors(from.store, to.store, reporting('compared')) : null;
  await to.store.setMeta(UNFINISHED, '');
  return { ...index, compared, ledger };
}

/**
 * An index that others may be using is never overwritten by accident; one that we began to fill is filled further, and
 * one that is the same already may be verified.
 */
async function prepareTarget(from: Side, to: Side, replace: boolean): Promise<void> {
  if (replace) await to.store.clear();
  const { notes } = await to.store.counts();
  const ours = notes === 0 || (await to.store.getMeta(UNFINISHED)) === from.shown;
  if (!ours && !(await isCopy(from.store, to.store)))
    throw new PipelineError('migrate-target-used', `There is already an index of ${notes} notes at ${to.shown}.`, {
      fatal: true,
      remedy: 'Name another schema (`?schema=…`) for this vault, or replace that index with --replace.',
    });
  await to.store.setMeta(UNFINISHED, from.shown);
}

async function openFiles({ dbFile, ledgerFile }: Workspace, readOnly: boolean): Promise<Side> {
  const { openSqliteStore } = await import('../store/sqlite/store.js');
  const { openLedger } = await import('../store/sqlite/ledger.js');
  if (!readOnly) mkdirSync(dirname(dbFile), { recursive: true });
  const store = await openSqliteStore({ file: dbFile, readOnly });
  const ledger = readOnly && !existsSync(ledgerFile) ? undefined : openLedger({ file: ledgerFile, readOnly });
  return { shown: dbFile, store, ledger };
}

async function openServer(url: string, readOnly: boolean): Promise<Side> {
  const { openPgStore } = await import('../store/pgvector/open.js');
  const { openPgLedger } = await import('../store/pgvector/ledger.js');
  const store = await openPgStore({ url, readOnly });
  return { shown: store.shown, store, ledger: await openPgLedger({ url, readOnly }) };
}
