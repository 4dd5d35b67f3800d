/** How well routing agrees with what the user did: per band, source, domain and dimension. */
import type { Dimension } from '../../runner/items.js';
import { DIMENSIONS } from './part.js';
import { decide, type Thresholds } from './route.js';
import type { Example } from './tune.js';

export interface JudgedItem extends Example {
  readonly composite: number;
  /** As classified. */
  readonly domain?: string;
  /** Where the user put it, when that is known. */
  readonly userDomain?: string;
}

export interface Share {
  readonly items: number;
  readonly kept: number;
  /** kept / items; null without items. */
  readonly share: number | null;
}

export interface ScoreReport {
  readonly judged: number;
  /** Of the items each band got: how many the user wanted. `write.share` is the precision of routing. */
  readonly bands: Readonly<Record<'write' | 'review' | 'skip', Share>>;
  /** Of the items the user wanted: the share that was filed without asking. */
  readonly recall: number | null;
  /** Of the items the user put into a domain: the share that was classified so. */
  readonly domains: Share;
  readonly sources: Readonly<Record<string, Share>>;
  /** `auc`: chance that a wanted item has more of it than an unwanted one; 0.5 says the dimension tells nothing. */
  readonly dimensions: Readonly<
    Record<Dimension | 'composite', { kept: number | null; discarded: number | null; auc: number | null }>
  >;
}

export function scoreReport(items: readonly JudgedItem[], thresholds: Thresholds): ScoreReport {
  const band = (name: 'write' | 'review' | 'skip') =>
    shareOf(items.filter((i) => decide(i.composite, thresholds) === name));
  const bands = { write: band('write'), review: band('review'), skip: band('skip') };
  const kept = items.filter((i) => i.kept);
  const placed = items.filter((i) => i.kept && i.userDomain !== undefined && i.domain !== undefined);
  const right = placed.filter((i) => i.userDomain === i.domain).length;
  const sources = [...new Set(items.map((i) => i.source))].map((name): [string, Share] => [
    name,
    shareOf(items.filter((i) => i.source === name)),
  ]);
  sources.sort(([a, x], [b, y]) => y.items - x.items || (a < b ? -1 : 1));
  const dimension = (value: (item: JudgedItem) => number) => {
    const wanted = kept.map(value);
    const unwanted = items.filter((i) => !i.kept).map(value);
    return { kept: mean(wanted), discarded: mean(unwanted), auc: auc(wanted, unwanted) };
  };
  const parts = Object.fromEntries(DIMENSIONS.map((d) => [d, dimension((i) => i.parts[d])]));
  return {
    judged: items.length,
    bands,
    recall: kept.length === 0 ? null : rounded(bands.write.kept / kept.length),
    domains: { items: placed.length, kept: right, share: placed.length === 0 ? null : rounded(right / placed.length) },
    sources: Object.fromEntries(sources),
    dimensions: { ...parts, composite: dimension((i) => i.composite) } as ScoreReport['dimensions'],
  };
}

function shareOf(items: readonly JudgedItem[]): Share {
  const kept = items.filter((i) => i.kept).length;
  return { items: items.length, kept, share: items.length === 0 ? null : rounded(kept / items.length) };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : rounded(values.reduce((a, b) => a + b, 0) / values.length);
}

/** Area under the ROC curve by ranks, ties counting half. */
export function auc(wanted: readonly number[], unwanted: readonly number[]): number | null {
  if (wanted.length === 0 || unwanted.length === 0) return null;
  const all = [...wanted.map((v) => ({ v, w: true })), ...unwanted.map((v) => ({ v, w: false }))].sort(
    (a, b) => a.v - b.v,
  );
  let rankSum = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]?.v === all[at]?.v) end++;
    // Ranks count from 1; tied values share the mean of theirs.
    const rank = (at + 1 + end) / 2;
    for (; at < end; at++) if (all[at]?.w) rankSum += rank;
  }
  return rounded((rankSum - (wanted.length * (wanted.length + 1)) / 2) / (wanted.length * unwanted.length));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
