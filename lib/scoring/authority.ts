/** Authority: how far the source deserves trust, from priors, kind of source, and what the user kept of it. */
import type { Cue } from '../../runner/items.js';
import type { AuthorityConfig } from './config.js';
import type { Measured } from './measure.js';
import { type Part, part } from './part.js';
import { fold, hostAndPath } from './tokens.js';

/** What became of earlier items of a source, by the user's hand. */
export interface SourceHistory {
  readonly kept: number;
  readonly discarded: number;
}

interface Match {
  readonly host: string;
  readonly path: RegExp | undefined;
  readonly name: string;
  readonly value: number;
}

export interface PreparedAuthority {
  readonly neutral: number;
  readonly primary: readonly Match[];
  readonly hosts: readonly Match[];
  readonly authors: ReadonlyMap<string, number>;
  readonly feeds: ReadonlyMap<string, number>;
  readonly strength: number;
  readonly history: ReadonlyMap<string, SourceHistory>;
}

export function prepareAuthority(
  config: AuthorityConfig,
  history: ReadonlyMap<string, SourceHistory> = new Map(),
): PreparedAuthority {
  const byName = (priors: Readonly<Record<string, number>>) =>
    new Map(Object.entries(priors).map(([name, value]) => [fold(name), value]));
  return {
    neutral: config.neutral,
    primary: matches(config.primary),
    hosts: matches(config.hosts),
    authors: byName(config.authors),
    feeds: byName(config.feeds),
    strength: config.history.strength,
    history,
  };
}

/** `host`, `host/path` or `host/*​/path*`: a star stands for any run of characters, also of an empty host. */
function matches(groups: AuthorityConfig['hosts']): Match[] {
  return Object.entries(groups).flatMap(([name, { value, match }]) =>
    match.map((pattern) => {
      const slash = pattern.indexOf('/');
      const host = slash < 0 ? pattern : pattern.slice(0, slash);
      const path = slash < 0 ? undefined : pathPattern(pattern.slice(slash));
      return { host, path, name, value };
    }),
  );
}

function pathPattern(glob: string): RegExp {
  const source = glob
    .split('*')
    .map((literal) => literal.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^?#]*');
  return new RegExp(`^${source}`);
}

/**
 * The prior: the feed's own when set, else the best of host and kind of source, averaged with the author's when
 * that is known. History then moves it: prior x strength + kept over strength + all.
 */
export function authority(item: Measured, config: PreparedAuthority): Part {
  const { article } = item;
  const evidence: Cue[] = [];
  let prior = config.neutral;
  const url = hostAndPath(article.canonicalUrl ?? article.url);
  const feed = config.feeds.get(fold(article.source.name));
  const primary = url && bestOf(config.primary, url);
  const host = url && bestOf(config.hosts, url);
  if (feed !== undefined) {
    prior = feed;
    evidence.push({ cue: `feed ${article.source.name}`, weight: feed });
  } else if (primary || host) {
    prior = Math.max(primary?.value ?? 0, host?.value ?? 0);
    if (primary) evidence.push({ cue: `primary source: ${primary.name}`, weight: primary.value });
    if (host) evidence.push({ cue: `${host.name}: ${host.host}`, weight: host.value });
  } else {
    evidence.push({ cue: url ? `${url.host}: unknown, neutral` : 'no URL: neutral', weight: config.neutral });
  }
  const author = article.author === undefined ? undefined : config.authors.get(fold(article.author.trim()));
  if (author !== undefined) {
    prior = (prior + author) / 2;
    evidence.push({ cue: `author ${article.author ?? ''}`, weight: author });
  }
  const past = config.history.get(article.source.name);
  const judged = (past?.kept ?? 0) + (past?.discarded ?? 0);
  if (!past || judged === 0) return part(prior, evidence);
  const value = (prior * config.strength + past.kept) / (config.strength + judged);
  evidence.push({ cue: `you kept ${past.kept} of ${judged} from here`, weight: value - prior });
  return part(value, evidence);
}

/** The most specific match: longest host, then one with a path. */
function bestOf(list: readonly Match[], at: { host: string; path: string }): Match | undefined {
  let best: Match | undefined;
  for (const match of list) {
    const host = match.host === '*' || at.host === match.host || at.host.endsWith(`.${match.host}`);
    if (!host || (match.path && !match.path.test(at.path))) continue;
    if (!best || specificity(match) > specificity(best)) best = match;
  }
  return best;
}

function specificity(match: Match): number {
  return match.host.length + (match.path ? match.path.source.length : 0);
}
