/** What to do with an item that is known already: nothing, update its note, or add its source to it. */
import type { Article, SourceRef } from '../../runner/items.js';

/** What the ledger remembers of an item. */
export interface KnownItem {
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly firstSeen: string;
  readonly hasNote: boolean;
  /** Failed or could not be scored: it deserves another try. */
  readonly unsettled: boolean;
  /** The stored article, while the ledger keeps it. */
  readonly article?: Article | undefined;
}

export type Verdict =
  | { readonly pass: Article; readonly why: string }
  | { readonly drop: 'seen' | 'duplicate'; readonly why: string };

/** Pure. `article` carries its fingerprint and aliases already. */
export function judgeKnown(article: Article, known: KnownItem): Verdict {
  const stored = known.article;
  const sources = sourcesOf(known);
  const isFromKnownSource = sources.some(({ name }) => name === article.source.name);
  if (known.unsettled) return { pass: carryOver(article, known), why: 'tried again' };
  if (isFromKnownSource) {
    if (article.source.name !== sources[0]?.name)
      return { drop: 'seen', why: `kept as "${known.title}" from ${known.source}` };
    if (stored === undefined || stored.fingerprint === article.fingerprint) return { drop: 'seen', why: 'unchanged' };
    return { pass: carryOver(article, known), why: 'changed at the source' };
  }
  if (!known.hasNote) return { drop: 'duplicate', why: `same story as "${known.title}" from ${known.source}` };
  return {
    pass: withSource(stored ?? carryOver(article, known), known, article),
    why: `also from ${article.source.name}`,
  };
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

/** The first teller's article with one more source; its aliases let the second source's copy be recognised at once. */
function withSource(first: Article, known: KnownItem, copy: Article): Article {
  const others = [...(first.alsoFrom ?? []), copy.source].filter(({ name }) => name !== first.source.name);
  return {
    ...first,
    key: known.id,
    alsoFrom: others.filter(({ name }, index) => others.findIndex((other) => other.name === name) === index),
    aliases: [...new Set([...(first.aliases ?? []), ...(copy.aliases ?? [])])],
  };
}

function sourcesOf(known: KnownItem): SourceRef[] {
  const { article } = known;
  if (article === undefined) return [{ name: known.source, kind: 'feed' }];
  return [article.source, ...(article.alsoFrom ?? [])];
}
