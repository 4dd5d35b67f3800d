/** Asks a query pipeline and gives the answer in the shape every way out shares: command line, MCP, hooks, blocks. */
import { ConfigError } from '../runner/errors.js';
import { type Filter, type Hit, makeItem, type Query } from '../runner/items.js';
import type { Notice, Observer, RunReport } from '../runner/observe.js';
import type { Workspace } from './workspace.js';

export interface SearchRequest {
  readonly text: string;
  readonly filter?: Filter;
  /** Results at most. */
  readonly limit: number;
  /** Token budget; default: the pipeline's own. */
  readonly maxTokens?: number;
  /** Treat the last word as the beginning of one. */
  readonly prefix?: boolean;
  /** `step.key=value` for this one question. */
  readonly overrides?: readonly string[];
  /** Any query pipeline that takes a Query and gives Hits; default `search`. */
  readonly pipeline?: string;
  readonly signal?: AbortSignal;
  /** Told of stages as they end. */
  readonly observers?: readonly Observer[];
}

/** One result; field names are those of CLI.md and of the MCP tools. */
export interface SearchResult {
  readonly file_path: string;
  readonly section: string;
  readonly lines: readonly [from: number, to: number];
  readonly text: string;
  readonly excerpt: string;
  /** Four decimals. Comparable within one answer only. */
  readonly score: number;
  readonly bm25_rank: number | null;
  readonly vec_rank: number | null;
  readonly title: string;
  readonly domain: string | null;
  readonly tags: readonly string[];
  readonly updated: string | null;
  readonly source: string | null;
  readonly truncated?: true;
  /** Places of near-identical chunks that are not listed by themselves. */
  readonly similar?: readonly {
    readonly file_path: string;
    readonly section: string;
    readonly lines: readonly [number, number];
  }[];
}

export interface SearchAnswer {
  readonly query: string;
  readonly count: number;
  /** 0..1: how likely the results answer the question at all. */
  readonly confidence: number;
  readonly good: boolean;
  readonly notices: readonly Notice[];
  readonly results: readonly SearchResult[];
}

/** The answer with what `--explain` needs. */
export interface ExplainedAnswer {
  readonly answer: SearchAnswer;
  readonly hits: readonly Hit[];
  readonly report: RunReport;
}

/**
 * Asks and answers.
 * @throws {ConfigError} `blank-query`.
 * @throws {PipelineError} `store-missing` and the like, naming the command to run.
 */
export async function search(workspace: Workspace, request: SearchRequest): Promise<ExplainedAnswer> {
  const {
    text,
    limit,
    maxTokens,
    prefix,
    filter = {},
    pipeline = 'search',
    overrides = [],
    signal,
    observers = [],
  } = request;
  if (text.trim() === '') {
    throw new ConfigError('blank-query', 'The query is blank.', { remedy: 'Say what to look for.' });
  }
  const query: Query = {
    text,
    filter,
    limit,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(prefix === undefined ? {} : { prefix }),
  };
  const { items, report } = await workspace.ask<'Hit'>(pipeline, makeItem('Query', query), {
    overrides,
    observers,
    ...(signal ? { signal } : {}),
  });
  const hits = items.map((item) => item.data);
  return { answer: answerOf(text, hits, report), hits, report };
}

function answerOf(query: string, hits: readonly Hit[], report: RunReport): SearchAnswer {
  const measured = report.reports['confidence'] as { confidence: number; good: boolean } | undefined;
  return {
    query,
    count: hits.length,
    confidence: round(measured?.confidence ?? 0),
    good: measured?.good ?? false,
    notices: report.notices,
    results: hits.map(resultOf),
  };
}

/** A hit as the outside sees it. */
export function resultOf(hit: Hit): SearchResult {
  const { path, section, lines, text, meta } = hit;
  return {
    file_path: path,
    section,
    lines,
    text,
    excerpt: hit.excerpt ?? '',
    score: round(hit.score),
    bm25_rank: hit.bm25Rank,
    vec_rank: hit.vecRank,
    title: meta.title,
    domain: meta.domain ?? null,
    tags: meta.tags,
    updated: meta.updated ?? null,
    source: meta.source ?? null,
    ...(hit.truncated ? { truncated: true as const } : {}),
    ...(hit.similar
      ? { similar: hit.similar.map((s) => ({ file_path: s.path, section: s.section, lines: s.lines })) }
      : {}),
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
