/** Decides for one item after another whether it is new, known, changed, or a known story told by another source. */
import type { Article, SourceRef } from '../../runner/items.js';
import { sameStory } from './same-story.js';

/** What is remembered of an item. */
export interface KnownItem {
  readonly id: string;
  readonly source: string;
  readonly title: string;
  /** ISO 8601 UTC. */
  readonly firstSeen: string;
  readonly hasNote: boolean;
  /** Failed or could not be scored: it deserves another try. */
  readonly unsettled: boolean;
  /** The user rejected it or deleted its note: it does not come back, whatever its source does. */
  readonly declined?: boolean;
  /** The article as it was filed, while it is kept. */
  readonly article?: Article | undefined;
}

export type Verdict =
  | { readonly pass: Article; readonly why: string }
  | { readonly drop: 'seen' | 'duplicate'; readonly why: string; readonly data: Article };

/** The item that answers to any of these identities. */
export type Lookup = (aliases: readonly string[]) => Promise<KnownItem | undefined>;

/**
 * Recognises the items of one run. Takes them strictly one after the other, because each may be the copy of one just
 * let through, of which the ledger does not know yet.
 */
export class Recogniser {
  readonly #lookup: Lookup;
  /** Items of this run, by every identity. */
  readonly #passed = new Map<string, KnownItem>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** `article` carries aliases, strongest first, and its fingerprint. `now` is ISO 8601 UTC. */
  recognise(article: Article, now: string): Promise<Verdict> {
    const verdict = this.#turn.then(() => this.#judge(article, now));
    this.#turn = verdict.catch(() => undefined);
    return verdict;
  }

  async #judge(article: Article, now: string): Promise<Verdict> {
    const aliases = article.aliases ?? [];
    for (const alias of aliases) {
      const passed = this.#passed.get(alias);
      if (passed && passed.id !== article.key && isSame(alias, article, passed))
        return this.#remember(judgeCopy(article, passed), now);
    }
    // Most items are new: one question for all identities answers that.
    if (await this.#lookup(aliases)) {
      for (const alias of aliases) {
        const known = await this.#lookup([alias]);
        if (!known || !isSame(alias, article, known)) continue;
        // The second look at an item, after its page was fetched, finds itself.
        if (known.id === article.key && article.markdown !== undefined) break;
        return this.#remember(judgeKnown(article, known), now);
      }
    }
    return this.#remember({ pass: { ...article, key: article.key ?? aliases[0] ?? '' }, why: 'new' }, now);
  }

  #remember(verdict: Verdict, now: string): Verdict {
    const article = 'pass' in verdict ? verdict.pass : verdict.data;
    const known: KnownItem = {
      id: article.key ?? '',
      source: article.source.name,
      title: article.title,
      firstSeen: now,
      hasNote: 'pass' in verdict,
      unsettled: false,
      article,
    };
    if ('pass' in verdict) for (const alias of article.aliases ?? []) this.#passed.set(alias, known);
    return verdict;
  }
}

/** Whether an item found under one alias is really the same: aliases of different kinds prove different things. */
function isSame(alias: string, article: Article, known: KnownItem): boolean {
  const kind = alias.slice(0, alias.indexOf(':'));
  const stored = known.article;
  if (kind.startsWith('guid') || kind === 'hash') return true;
  if (kind === 'url') return stored === undefined || !contradictedByGuid(article, stored) || sameTitle(article, stored);
  if (stored === undefined) return false;
  if (kind === 'text') return article.source.name !== stored.source.name || article.published === stored.published;
  return sameStory(article, stored) !== undefined;
}

/** Two ids of one source for one address: another item, as on a page that is rewritten daily, unless the title agrees. */
function contradictedByGuid(a: Article, b: Article): boolean {
  const reliable = !a.unreliable?.includes('guid') && !b.unreliable?.includes('guid');
  return (
    reliable && a.source.name === b.source.name && a.guid !== undefined && b.guid !== undefined && a.guid !== b.guid
  );
}

function sameTitle(a: Article, b: Article): boolean {
  return a.title.trim().toLowerCase() === b.title.trim().toLowerCase();
}

/** A copy of an item let through earlier in this run. */
function judgeCopy(article: Article, passed: KnownItem): Verdict {
  const why = `same as "${passed.title}" from ${passed.source} in this run`;
  const isFromKnownSource = sourcesOf(passed).some(({ name }) => name === article.source.name);
  return isFromKnownSource || passed.article === undefined
    ? { drop: 'duplicate', why, data: { ...article, key: passed.id } }
    : { pass: withSource(passed.article, passed, article), why: `${why}; its source is added` };
}

/** What to do with an item that an earlier run has filed, dropped or failed on. */
export function judgeKnown(article: Article, known: KnownItem): Verdict {
  const stored = known.article;
  const sources = sourcesOf(known);
  if (known.declined) return { drop: 'seen', why: 'you declined it before', data: { ...article, key: known.id } };
  if (known.unsettled) return { pass: carryOver(article, known), why: 'tried again' };
  if (sources.some(({ name }) => name === article.source.name)) {
    const why =
      article.source.name === sources[0]?.name ? 'unchanged' : `kept as "${known.title}" from ${known.source}`;
    const isUnchanged =
      stored === undefined || stored.fingerprint === article.fingerprint || article.source.name !== sources[0]?.name;
    if (isUnchanged) return { drop: 'seen', why, data: { ...article, key: known.id } };
    return { pass: carryOver(article, known), why: 'changed at the source' };
  }
  if (!known.hasNote || stored === undefined)
    return {
      drop: 'duplicate',
      why: `same story as "${known.title}" from ${known.source}`,
      data: { ...article, key: known.id },
    };
  return { pass: withSource(stored, known, article), why: `also from ${article.source.name}` };
}

/** An update keeps what must not change: identity, further sources, and a date that was inferred once. */
function carryOver(article: Article, known: KnownItem): Article {
  const stored = known.article;
  const alsoFrom = (stored?.alsoFrom ?? []).filter(({ name }) => name !== article.source.name);
  return {
    ...article,
    key: known.id,
    ...(alsoFrom.length === 0 ? {} : { alsoFrom }),
    ...(article.publishedInferred ? { published: stored?.published ?? known.firstSeen } : {}),
  };
}

/** The first teller's article with one more source; with the copy's aliases, so that the copy is known at once next time. */
function withSource(first: Article, known: KnownItem, copy: Article): Article {
  const others = new Map([...(first.alsoFrom ?? []), copy.source].map((source) => [source.name, source]));
  others.delete(first.source.name);
  return {
    ...first,
    key: known.id,
    alsoFrom: [...others.values()],
    aliases: [...new Set([...(first.aliases ?? []), ...(copy.aliases ?? [])])],
  };
}

function sourcesOf(known: KnownItem): SourceRef[] {
  const { article } = known;
  if (article === undefined) return [{ name: known.source, kind: 'feed' }];
  return [article.source, ...(article.alsoFrom ?? [])];
}
