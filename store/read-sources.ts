/** Reads the configured sources of one kind that are no feeds: their rests, their state, their failures, one after another. */
import { statusError } from '../lib/feeds/fetch-state.js';
import type { Article } from '../runner/items.js';
import type { ResourceTypes } from '../runner/resources.js';
import type { Sourced, StageContext } from '../runner/stage.js';
import type { SourceState } from './ledger.js';
import { afterFailure, afterSuccess, newSourceState, restOf } from './source-state.js';

export type SourcesContext = StageContext<'http' | 'ledger' | 'sources'>;
export type Source = Awaited<ReturnType<ResourceTypes['sources']['list']>>[number];

export interface ReadOptions {
  readonly kind: Source['kind'];
  /** The list of sources. */
  readonly from: string;
  /** Articles of one source; what could not be used goes to `problem`, one line each. */
  readonly read: (source: Source, problem: (line: string) => void) => AsyncIterable<Article>;
}

/** Problems shown of one source; the rest are counted. */
const SHOWN = 5;

/** Gives every article of every source of the kind. A source that fails is reported and the next one is read. */
export async function* readSources(ctx: SourcesContext, options: ReadOptions): AsyncGenerator<Sourced<'Article'>> {
  const ledger = await ctx.use('ledger');
  for (const source of await (await ctx.use('sources')).list(options.from)) {
    if (source.kind !== options.kind || !source.enabled) continue;
    const state = (await ledger.sourceState(source.name)) ?? newSourceState(source.name);
    // A file is asked again at once after a failure: it costs nothing, and the user may just have mended it.
    const rest = restOf(state, source.every, ctx.now());
    if (rest && (rest.because === 'recent' || isWeb(source.url))) continue;
    const problems: string[] = [];
    const save = async (next: SourceState): Promise<void> => {
      if (!ctx.dryRun) await ledger.setSourceState(next);
    };
    let count = 0;
    try {
      for await (const data of options.read(source, (line) => problems.push(line))) {
        count++;
        if (isSince(data, ctx.since)) yield { data };
      }
      await save(afterRead(state, count, ctx.now()));
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      ctx.fail(source.name, error);
      await save(afterFailure(state, error, ctx.now()));
    }
    report(ctx, source.name, problems);
  }
}

/** Bytes of a source, from its file or its address. */
export async function bytesOf(source: Source, ctx: SourcesContext): Promise<Uint8Array> {
  const { limits, readFile } = await ctx.use('sources');
  if (!isWeb(source.url)) return readFile(source.url, limits.maxPageBytes);
  const response = await (await ctx.use('http')).get({
    url: source.url,
    maxBytes: limits.maxPageBytes,
    timeoutMs: limits.timeoutMs,
    signal: ctx.signal,
  });
  if (response.status < 200 || response.status > 299) throw statusError(response, ctx.now());
  return response.body;
}

function report(ctx: SourcesContext, name: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, SHOWN).join('; ');
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
  ctx.notice(`records-skipped:${name}`, `"${name}": ${problems.length} record(s) were passed over: ${shown}${more}`);
}

function afterRead(state: SourceState, items: number, now: number): SourceState {
  const changed = items !== state.items ? { lastItem: new Date(now).toISOString() } : {};
  return { ...afterSuccess(state, now), ...changed, items };
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

function isSince({ published }: Article, since = 0): boolean {
  return published === undefined || Date.parse(published) >= since;
}
