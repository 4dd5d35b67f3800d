/** Two listings ordered by path, merged without holding either. */

import { comparePaths } from './paths.js';
import type { VaultEntry } from './types.js';

export type Difference<R extends { readonly path: string }> =
  | { readonly kind: 'new'; readonly entry: VaultEntry }
  | { readonly kind: 'both'; readonly entry: VaultEntry; readonly record: R }
  | { readonly kind: 'missing'; readonly record: R };

/** Every path of either side once, in order. Both sides must be ordered by `comparePaths`. */
export async function* mergeListings<R extends { readonly path: string }>(
  entries: AsyncIterable<VaultEntry>,
  records: AsyncIterable<R>,
): AsyncGenerator<Difference<R>> {
  const left = entries[Symbol.asyncIterator]();
  const right = records[Symbol.asyncIterator]();
  try {
    let [a, b] = [await left.next(), await right.next()];
    while (!a.done || !b.done) {
      const order = a.done ? 1 : b.done ? -1 : comparePaths(a.value.path, b.value.path);
      if (order < 0 && !a.done) {
        yield { kind: 'new', entry: a.value };
        a = await left.next();
      } else if (order > 0 && !b.done) {
        yield { kind: 'missing', record: b.value };
        b = await right.next();
      } else if (!a.done && !b.done) {
        yield { kind: 'both', entry: a.value, record: b.value };
        [a, b] = [await left.next(), await right.next()];
      }
    }
  } finally {
    await left.return?.(undefined);
    await right.return?.(undefined);
  }
}
