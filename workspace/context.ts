/** Asks the `context` pipeline; the command line, MCP, hooks and blocks all call this. */
import { ConfigError } from '../runner/errors.js';
import { type Context, type Filter, makeItem } from '../runner/items.js';
import type { Notice, Observer } from '../runner/observe.js';
import type { Workspace } from './workspace.js';

export interface ContextRequest {
  readonly topic: string;
  readonly maxTokens?: number;
  readonly filter?: Filter;
  readonly format?: 'markdown' | 'xml' | 'text';
  readonly signal?: AbortSignal;
  /** Told of stages as they end. */
  readonly observers?: readonly Observer[];
}

export interface ContextAnswer extends Context {
  readonly confidence: number;
  readonly good: boolean;
  readonly notices: readonly Notice[];
}

/** Chunks considered for a block; the token budget decides how many fit. */
const CANDIDATES = 12;

/** @throws {ConfigError} `blank-query`; {PipelineError} `store-missing`. */
export async function getContext(
  workspace: Workspace,
  { topic, maxTokens, filter = {}, format, signal, observers = [] }: ContextRequest,
): Promise<ContextAnswer> {
  if (topic.trim() === '')
    throw new ConfigError('blank-query', 'The topic is blank.', { remedy: 'Say what the block is about.' });
  const query = makeItem('Query', {
    text: topic,
    filter,
    limit: CANDIDATES,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  });
  const { items, report } = await workspace.ask<'Context'>('context', query, {
    observers,
    ...(format === undefined ? {} : { overrides: [`assemble-context.format=${format}`] }),
    ...(signal === undefined ? {} : { signal }),
  });
  const [first] = items;
  const empty: Context = { topic, text: '', tokens: 0, sources: [] };
  const judged = report.reports['confidence'] as { confidence?: number; good?: boolean } | undefined;
  return {
    ...(first?.data ?? empty),
    confidence: judged?.confidence ?? 0,
    good: judged?.good ?? false,
    notices: report.notices,
  };
}
