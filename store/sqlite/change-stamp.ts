/** Tells whether anything was written to the database since the last look, by this process or another. */
import type { Db } from './database.js';

/** A function whose answer changes with every committed write; a call takes a few microseconds. */
export function changeStamp(db: Db): () => string {
  const own = db.prepare('SELECT total_changes()').pluck();
  // data_version counts the commits of other connections only.
  return () => `${String(db.pragma('data_version', { simple: true }))}.${String(own.get())}`;
}
