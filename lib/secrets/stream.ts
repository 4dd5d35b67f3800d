/** Scrubs text that need not fit in memory: piece by piece, with enough of what came before to judge each piece. */
import type { Scrubber } from './types.js';

/** No credential, and nothing that gives one away, reaches further than this (MAX_BLOCK of the block matcher plus context). */
const WINDOW = 70_000;
/** Text kept before a piece so that a name on an earlier line still explains the value that follows. */
const CONTEXT = 2_048;
/** Text gathered before a piece is scrubbed; larger costs memory, smaller scans the window more often. */
const PIECE = 1_048_576;

export interface ScrubbedPiece {
  readonly text: string;
  /** Names and 1-based lines in the whole stream. */
  readonly findings: readonly { readonly pattern: string; readonly line: number }[];
}

/** Gives the same text as scrubbing the whole at once, in pieces that end with a line wherever there are lines. */
export async function* scrubStream(scrubber: Scrubber, chunks: AsyncIterable<string>): AsyncGenerator<ScrubbedPiece> {
  let context = '';
  let pending = '';
  let line = 1;
  const emit = (upTo: number): ScrubbedPiece => {
    const { findings } = scrubber.scrub(context + pending);
    const from = context.length;
    let cut = from + upTo;
    // A credential that reaches over the cut belongs to one side: all of it goes to the next piece.
    for (const f of findings) if (f.start < cut && f.end > cut && upTo < pending.length) cut = Math.max(from, f.start);
    const text = pending.slice(0, cut - from);
    const inside = findings
      .filter((f) => f.end > from && f.end <= cut)
      .map((f) => ({ ...f, start: Math.max(f.start, from) }));
    let out = '';
    let at = 0;
    const named: { pattern: string; line: number }[] = [];
    for (const f of inside) {
      const before = text.slice(at, f.start - from);
      const gone = text.slice(f.start - from, f.end - from);
      const lines = gone.split('\n').length - 1;
      out += `${before}[REDACTED:${f.pattern}]${'\n'.repeat(lines)}`;
      line += before.split('\n').length - 1;
      named.push({ pattern: f.pattern, line });
      line += lines;
      at = f.end - from;
    }
    out += text.slice(at);
    line += text.slice(at).split('\n').length - 1;
    context = (context + text).slice(-CONTEXT);
    pending = pending.slice(text.length);
    return { text: out, findings: named };
  };

  for await (const chunk of chunks) {
    pending += chunk;
    if (pending.length < PIECE + WINDOW) continue;
    const end = pending.lastIndexOf('\n', pending.length - WINDOW) + 1;
    yield emit(end > 0 ? end : pending.length - WINDOW);
  }
  if (pending !== '') yield emit(pending.length);
}
