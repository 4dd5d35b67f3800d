/** Looks into the index file for damage, disagreement and waste, and puts right what can be put right in place. */
import { messageOf } from '../../runner/errors.js';
import type { Db } from './database.js';
import { TextIndex } from './text.js';
import { VectorIndex } from './vectors.js';

export interface Inspection {
  /** SQLite's own findings; empty for a sound file. */
  readonly damage: readonly string[];
  /** Why the keyword index and the chunks disagree; undefined when they agree. */
  readonly text: string | undefined;
  /** Vectors without a chunk and chunks without their vector, over all spaces; 0 and 0 when they agree. */
  readonly orphans: number;
  readonly missing: number;
  /** Chunks whose note is not there; 0 when sound. */
  readonly stray: number;
  /** Share of the file that is free pages, 0..1. */
  readonly free: number;
}

/** Findings reported by `quick_check` beyond this tell nothing new. */
const MAX_FINDINGS = 5;

/** Needs a writable connection: FTS5's check is a command. Without sqlite-vec the vectors are not looked at. */
export function inspectIndex(db: Db, vectors: boolean): Inspection {
  const one = (sql: string): number => (db.prepare(sql).get() as { n: number } | undefined)?.n ?? 0;
  const damage = (db.pragma(`quick_check(${MAX_FINDINGS})`) as { quick_check: string }[])
    .map((row) => row.quick_check)
    .filter((line) => line !== 'ok');
  const strays = vectors ? spaces(db).map(([index, space]) => index.strays(space)) : [];
  return {
    damage,
    text: textDisagreement(db),
    orphans: strays.reduce((sum, s) => sum + s.orphans, 0),
    missing: strays.reduce((sum, s) => sum + s.missing, 0),
    stray: one('SELECT count(*) AS n FROM chunks WHERE file_id NOT IN (SELECT id FROM files)'),
    free:
      Number(db.pragma('freelist_count', { simple: true })) /
      Math.max(1, Number(db.pragma('page_count', { simple: true }))),
  };
}

function spaces(db: Db): [VectorIndex, ReturnType<VectorIndex['spaces']>[number]][] {
  const index = new VectorIndex(db);
  return index.spaces().map((space) => [index, space]);
}

function textDisagreement(db: Db): string | undefined {
  try {
    new TextIndex(db).check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Rebuilds the keyword index from the chunks and drops vectors that belong to none. */
export function repairIndex(db: Db, vectors: boolean): void {
  db.transaction(() => {
    db.exec(`INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild')`);
    if (!vectors) return;
    for (const [index, space] of spaces(db)) {
      index.sweep(space);
      // Notes that lack a vector leave the space; the next run embeds them.
      db.prepare(
        `DELETE FROM file_spaces WHERE space_id = ? AND file_id IN
           (SELECT file_id FROM chunks WHERE id NOT IN (SELECT rowid FROM ${space.table}_rowids))`,
      ).run(space.id);
      index.sweep(space);
    }
  }).immediate();
}

/** Gives free pages back to the disk. Needs as much free space as the index takes. */
export function compactIndex(db: Db): void {
  db.exec('VACUUM');
  db.pragma('wal_checkpoint(TRUNCATE)');
}
