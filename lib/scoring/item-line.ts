/** Items as `pipeline score` reads and gives them: one JSON object a line (CLI.md). */
import { z } from 'zod';
import { ConfigError } from '../../runner/errors.js';
import type { Article, Decision } from '../../runner/items.js';
import { decide, explainDecision, type Thresholds } from './route.js';
import type { Scored } from './scorer.js';

const itemSchema = z.looseObject({
  title: z.string().nullish(),
  url: z.string().nullish(),
  text: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  feed: z.string().nullish(),
  author: z.string().nullish(),
});

/** What a line was, and the article it stands for. */
export interface ItemLine {
  readonly input: Readonly<Record<string, unknown>>;
  readonly article: Article;
}

/** Throws `ConfigError` with the line number for anything but an item. */
export function readItemLine(line: string, number: number): ItemLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ConfigError('item-line', `line ${number} is not JSON.`, { remedy: 'Write one JSON object a line.' });
  }
  const parsed = itemSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = issue ? `${issue.path.join('.') || 'value'}: ${issue.message}` : 'not an item';
    throw new ConfigError('item-line', `line ${number} is no item (${what}).`, {
      remedy: 'Expected {title, url, text, tags, feed}; all are optional.',
    });
  }
  const { title, url, text, tags, feed, author } = parsed.data;
  return {
    input: parsed.data,
    article: {
      source: { name: feed ?? '', kind: 'list' },
      title: title ?? '',
      tags: tags ?? [],
      ...(url ? { url } : {}),
      ...(text == null ? {} : { markdown: text }),
      ...(author ? { author } : {}),
    },
  };
}

/** The fields `pipeline score` adds to an item. */
export interface ScoredLine {
  readonly relevance: number | null;
  readonly actionability: number | null;
  readonly depth: number | null;
  readonly authority: number | null;
  readonly composite: number | null;
  readonly domain: string;
  readonly domain_second: string | null;
  readonly decision: Decision;
  readonly reason: string;
  readonly evidence: Scored['scores']['evidence'] | null;
  readonly domain_evidence: Scored['domain']['evidence'] | null;
}

export function scoredLine({ scores, domain }: Scored, thresholds: Thresholds): ScoredLine {
  const decision = decide(scores.composite, thresholds);
  const { relevance, actionability, depth, authority, composite, evidence } = scores;
  return {
    relevance,
    actionability,
    depth,
    authority,
    composite,
    domain: domain.domain,
    domain_second: domain.second ?? null,
    decision,
    reason: explainDecision(scores, decision, domain.domain),
    evidence,
    domain_evidence: domain.evidence,
  };
}

/** For an item whose scoring failed: no numbers, and why. */
export function unscoredLine(reason: string): ScoredLine {
  return {
    relevance: null,
    actionability: null,
    depth: null,
    authority: null,
    composite: null,
    domain: 'other',
    domain_second: null,
    decision: 'unscored',
    reason,
    evidence: null,
    domain_evidence: null,
  };
}
