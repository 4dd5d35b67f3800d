/** Reads one feed for the `feeds` stage: asks politely, keeps what the answer teaches, and gives its articles. */
import { isRemote, type Source } from '../../config/sources.js';
import { articleFrom } from '../../lib/feeds/article.js';
import { feedHeaders, statusError } from '../../lib/feeds/fetch-state.js';
import { readFeed } from '../../lib/feeds/read.js';
import type { Feed } from '../../lib/feeds/types.js';
import { identitiesOf, judgeIdentifiers } from '../../lib/identity/identities.js';
import { messageOf } from '../../runner/errors.js';
import type { Article } from '../../runner/items.js';
import type { StageContext } from '../../runner/stage.js';
import type { SourceState } from '../../store/ledger.js';
import {
  afterFailure,
  afterItems,
  afterSuccess,
  isHostResting,
  lastAnswerIsSafe,
  newSourceState,
  restOf,
} from '../../store/source-state.js';

type Context = StageContext<'http' | 'ledger' | 'sources' | 'urlCleaner'>;

interface Fetched {
  readonly body: Uint8Array;
  readonly url?: string;
  readonly contentType?: string | undefined;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}
/** The bytes of a feed, or that there is nothing new. */
type Answer = Fetched | 'unchanged';

/** Articles of one source. A failure is reported and leaves the source's state saying so. */
export async function readSource(source: Source, ctx: Context): Promise<readonly Article[]> {
  const ledger = await ctx.use('ledger');
  const state = (await ledger.sourceState(source.name)) ?? newSourceState(source.name);
  const save = async (next: SourceState) => {
    if (!ctx.dryRun) await ledger.setSourceState(next);
  };
  const rest = restOf(state, source.every, ctx.now());
  if (rest) {
    const why = state.lastError ?? 'it asked to wait';
    if (rest.because === 'failure') ctx.notice('source-paused', `"${source.name}" rests until ${rest.until}: ${why}`);
    return [];
  }
  try {
    const answer = await ask(source, state, ctx);
    if (answer === 'unchanged') {
      await save(afterSuccess(state, ctx.now()));
      return [];
    }
    const result = readFeed(answer.body, { ...answer, now: ctx.now() });
    if ('error' in result) throw result.error;
    const { articles, given, idRule } = await articlesOf(source, result, state.idRule, ctx);
    await save(afterItems(state, { ...answer, given, idRule }, ctx.now()));
    return ctx.since === undefined ? articles : articles.filter((one) => isSince(one, ctx.since));
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (isHostResting(error)) ctx.notice('source-paused', `"${source.name}" was not asked: ${messageOf(error)}`);
    else ctx.fail(source.name, error);
    await save(afterFailure(state, error, ctx.now()));
    return [];
  }
}

async function ask(source: Source, state: SourceState, ctx: Context): Promise<Answer> {
  const { limits, readFile } = await ctx.use('sources');
  if (!isRemote(source.url)) return { body: await readFile(source.url, limits.maxFeedBytes) };
  const conditional = await lastAnswerIsSafe(state, await ctx.use('ledger'), ctx.now());
  const response = await (await ctx.use('http')).get({
    url: source.url,
    headers: feedHeaders(conditional ? state : {}),
    maxBytes: limits.maxFeedBytes,
    timeoutMs: limits.timeoutMs,
    signal: ctx.signal,
  });
  if (response.status === 304) return 'unchanged';
  if (response.status < 200 || response.status > 299) throw statusError(response, ctx.now());
  const { etag, 'last-modified': lastModified, 'content-type': contentType } = response.headers;
  return { body: response.body, url: response.url, contentType, etag, lastModified };
}

/** Articles of one feed, with what is known of its ids. */
async function articlesOf(source: Source, { feed, items }: Feed, before: SourceState['idRule'], ctx: Context) {
  const { name, url, tags } = source;
  if (feed.repaired) ctx.notice('feed-repaired', `"${name}" is damaged and was repaired: ${feed.repairs.join('; ')}`);
  if (items.length === 0) ctx.notice('feed-no-items', `"${name}" is a feed without items.`);
  const urls = await ctx.use('urlCleaner');
  const seenAt = new Date(ctx.now()).toISOString();
  const ref = { name, kind: 'feed', url } as const;
  const read = items.map((item) => articleFrom(item, { source: ref, tags, language: feed.language, seenAt }));
  const { rule, unreliable } = judgeIdentifiers(read, urls, before);
  if (rule !== (before ?? 'guid'))
    ctx.notice('feed-ids', `"${name}" repeats its ids; its items are now told apart by ${rule}.`);
  const articles = read.map((article, index) => {
    const marks = unreliable[index] ?? [];
    return marks.length === 0 ? article : { ...article, unreliable: marks };
  });
  const given = [...new Set(articles.map((article) => identitiesOf(article, urls).join(' ')))];
  return { articles, given, idRule: rule };
}

function isSince({ published }: Article, since = 0): boolean {
  return published === undefined || Date.parse(published) >= since;
}
