/** The checks of `pipeline doctor` that look at an index in a file, and the repairs that cannot lose anything. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { messageOf, PipelineError } from '../../runner/errors.js';
import { openDatabase } from '../../store/sqlite/database.js';
import { compactIndex, type Inspection, inspectIndex, repairIndex } from '../../store/sqlite/inspect.js';
import { acquireWriterLock } from '../../store/sqlite/lock.js';
import { checkSchema } from '../../store/sqlite/schema.js';
import { openSqliteStore } from '../../store/sqlite/store.js';
import { loadVectors } from '../../store/sqlite/vectors.js';
import type { ChunkStore } from '../../store/types.js';
import type { Workspace } from '../workspace.js';
import { bad, type Finding, fine, remedyOf } from './checks.js';
import { checkDrift, incomparable } from './drift.js';
import { type Repairable, reindex } from './repair.js';

/** From this share of free pages on, compacting is worth the time. */
const MUCH_FREE = 0.25;
/** A log larger than this means that some reader keeps its snapshot for long. Bytes. */
const LONG_LOG = 64 * 1024 * 1024;

/** All findings about an index in a file. */
export async function checkIndexFile(workspace: Workspace): Promise<Repairable[]> {
  const { dbFile } = workspace;
  if (!existsSync(dbFile))
    return [
      { ...bad('index', 'There is no index yet.', 'It was never built.', 'Run `pipeline index`.'), repair: reindex },
    ];
  let opened: { inspection: Inspection; vectorReason: string | undefined };
  try {
    opened = await inspect(dbFile);
  } catch (error) {
    return [unusable(error)];
  }
  const { inspection, vectorReason } = opened;
  if (inspection.damage.length > 0)
    return [
      {
        ...bad(
          'integrity',
          `The index file is damaged: ${inspection.damage[0]}.`,
          'The disk failed or the file was changed from outside.',
          'Run `pipeline doctor --fix`: the file is set aside and a new index is built.',
        ),
        repair: setAside,
      },
    ];
  return [
    fine('integrity'),
    ...agreement(inspection),
    waste(inspection),
    logSize(dbFile),
    vec(vectorReason),
    ...(await fileDrift(workspace)),
  ];
}

async function inspect(dbFile: string): Promise<{ inspection: Inspection; vectorReason: string | undefined }> {
  const db = await openDatabase({ file: dbFile, readOnly: false });
  try {
    const vectorReason = loadVectors(db);
    checkSchema(db, dbFile);
    return { inspection: inspectIndex(db, vectorReason === undefined), vectorReason };
  } finally {
    db.close();
  }
}

function unusable(error: unknown): Repairable {
  const code = error instanceof PipelineError ? error.code : '';
  const finding = bad('index', messageOf(error), causeOf(code), remedyOf(error));
  if (code === 'store-corrupt') return { ...finding, repair: setAside };
  return code === 'store-outdated' || code === 'store-missing' ? { ...finding, repair: reindex } : finding;
}

function causeOf(code: string): string {
  switch (code) {
    case 'store-corrupt':
      return 'The disk failed or the file was changed from outside.';
    case 'store-outdated':
      return 'The program was updated.';
    case 'store-readonly':
      return 'Its permissions, or a read-only disk.';
    default:
      return 'See the message.';
  }
}

/** The notes are the truth, so a damaged index is replaced; the old file is kept for whoever wants to look at it. */
async function setAside({ dbFile, clock }: Workspace): Promise<{ reindex: boolean }> {
  const lock = await acquireWriterLock(dbFile, { command: 'pipeline doctor --fix', now: () => clock.now() });
  try {
    renameSync(dbFile, `${dbFile}.damaged`);
    // The log belongs to the old file; applied to a new one it would damage that too.
    for (const suffix of ['-wal', '-shm']) rmSync(dbFile + suffix, { force: true });
  } finally {
    lock.release();
  }
  return { reindex: true };
}

function agreement({ text, orphans, missing, stray }: Inspection): Repairable[] {
  const repair = async (workspace: Workspace): Promise<{ reindex: boolean }> => {
    await onIndex(workspace, (db) => repairIndex(db, true));
    return { reindex: true };
  };
  return [
    text === undefined
      ? fine('keyword-index')
      : {
          ...bad(
            'keyword-index',
            `The keyword index and the notes disagree: ${text}.`,
            'The index was written by a faulty version.',
            'Run `pipeline doctor --fix`: it is rebuilt from the notes.',
          ),
          repair,
        },
    orphans + missing + stray === 0
      ? fine('vectors')
      : {
          ...bad(
            'vectors',
            `${orphans} vectors without a chunk, ${missing} chunks without their vector, ${stray} chunks without a note.`,
            'The index was written without sqlite-vec for a while.',
            'Run `pipeline doctor --fix`.',
          ),
          repair,
        },
  ];
}

function waste({ free }: Inspection): Repairable {
  if (free < MUCH_FREE) return fine('fragmentation');
  return {
    ...bad(
      'fragmentation',
      `${Math.round(free * 100)} % of the index file are free pages.`,
      'Many notes were changed or deleted.',
      'Run `pipeline doctor --fix`: the file is compacted.',
    ),
    repair: async (workspace) => {
      await onIndex(workspace, compactIndex);
      return { reindex: false };
    },
  };
}

function logSize(dbFile: string): Repairable {
  const bytes = statSync(`${dbFile}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return bytes < LONG_LOG
    ? fine('log')
    : bad(
        'log',
        `The write-ahead log is ${Math.round(bytes / 1e6)} MB.`,
        'A reader has been open since before many changes.',
        'Restart the programs that read this index (MCP servers).',
      );
}

function vec(reason: string | undefined): Finding {
  if (reason === undefined) return fine('sqlite-vec');
  return bad(
    'sqlite-vec',
    reason,
    'The extension is missing for this platform, or is blocked.',
    'Run `npm rebuild`, or go on with keyword search.',
  );
}

async function fileDrift(workspace: Workspace): Promise<Repairable[]> {
  let store: ChunkStore | undefined;
  try {
    store = await openSqliteStore({ file: workspace.dbFile, readOnly: true });
    return await checkDrift(workspace, store);
  } catch (error) {
    return [incomparable(error)];
  } finally {
    await store?.close();
  }
}

/** Works on the index as its only writer. */
async function onIndex(
  workspace: Workspace,
  work: (db: Awaited<ReturnType<typeof openDatabase>>) => void,
): Promise<void> {
  const { dbFile, clock } = workspace;
  const lock = await acquireWriterLock(dbFile, { command: 'pipeline doctor --fix', now: () => clock.now() });
  const db = await openDatabase({ file: dbFile, readOnly: false }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  try {
    loadVectors(db);
    work(db);
  } finally {
    db.close();
    lock.release();
  }
}
