/** Bounded, ordered concurrency over a pulled stream: N in flight, results in input order, nothing read ahead beyond N. */

/**
 * Applies `work` to each item of `source`, at most `limit` at a time, giving results in input order.
 * Pulls only when the consumer pulls, so a slow consumer slows the source. On early exit the source is closed and
 * work in flight is awaited, never abandoned.
 */
export async function* mapOrdered<A, B>(
  source: AsyncIterable<A>,
  limit: number,
  work: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const iterator = source[Symbol.asyncIterator]();
  const inFlight: Promise<B>[] = [];
  let exhausted = false;
  try {
    for (;;) {
      while (!exhausted && inFlight.length < limit) {
        const next = await iterator.next();
        if (next.done) {
          exhausted = true;
          break;
        }
        const started = work(next.value);
        // A rejection is delivered when its turn comes; until then it must not count as unhandled.
        started.catch(() => undefined);
        inFlight.push(started);
      }
      const head = inFlight.shift();
      if (!head) return;
      yield await head;
    }
  } finally {
    await Promise.allSettled(inFlight);
    if (!exhausted) await iterator.return?.();
  }
}

/** Groups a stream into arrays of at most `size`; the last may be shorter. */
export async function* inBatches<A>(source: AsyncIterable<A>, size: number): AsyncGenerator<A[]> {
  let batch: A[] = [];
  for await (const item of source) {
    batch.push(item);
    if (batch.length >= size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
