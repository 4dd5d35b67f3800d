/** When a note counts as old. */
import type { NoteMeta } from '../../runner/items.js';

/** By the date its content last changed, else by its creation; a note that names neither is never old. */
export function isStale({ updated, created }: Pick<NoteMeta, 'updated' | 'created'>, before: string): boolean {
  return (updated ?? created ?? before) < before;
}
