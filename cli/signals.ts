/** Ctrl-C: the first asks the run to finish the item in hand, the second aborts it. */

export interface Interruption {
  readonly stop: AbortSignal;
  readonly signal: AbortSignal;
  dispose(): void;
}

export function interruption(onFirst: () => void): Interruption {
  const stop = new AbortController();
  const abort = new AbortController();
  const handle = (): void => {
    if (stop.signal.aborted) {
      abort.abort(new Error('interrupted'));
      return;
    }
    onFirst();
    stop.abort();
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return {
    stop: stop.signal,
    signal: abort.signal,
    dispose() {
      process.off('SIGINT', handle);
      process.off('SIGTERM', handle);
    },
  };
}
