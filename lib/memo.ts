/** Remembers what was worked out for a text: intake asks the same of one article in reading, recognising and scoring it. */

/** Characters of text kept, some hundred articles: as many as are between a feed's reader and the last stage. */
const MAX_CHARS = 4_000_000;
/** A short text costs less to work out than to look up, and would push the long ones out. */
const MIN_CHARS = 200;

export interface MemoOptions<T> {
  /** Whether a result may be remembered; all are when absent. */
  readonly keep?: (result: T) => boolean;
  readonly maxChars?: number;
}

/** `work` with a memory, oldest out first. `work` must be pure and its results must not be changed by who gets them. */
export function memoised<T>(work: (text: string) => T, options: MemoOptions<T> = {}): (text: string) => T {
  const { keep = () => true, maxChars = MAX_CHARS } = options;
  const known = new Map<string, { readonly result: T }>();
  let chars = 0;
  return (text) => {
    if (text.length < MIN_CHARS || text.length > maxChars) return work(text);
    const found = known.get(text);
    if (found) return found.result;
    const result = work(text);
    if (!keep(result)) return result;
    known.set(text, { result });
    chars += text.length;
    for (const oldest of known.keys()) {
      if (chars <= maxChars) break;
      known.delete(oldest);
      chars -= oldest.length;
    }
    return result;
  };
}
