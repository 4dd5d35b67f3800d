/** What `pipeline sources test` prints: the contract of CLI.md, with every key present. */
import { PipelineError } from '../../runner/errors.js';
import type { FeedResult } from './types.js';

/** JSON for a feed that was read, or for the reason it was not. A feed without items is no success either. */
export function feedReport(result: FeedResult, now: number): Record<string, unknown> {
  if ('error' in result) return { feed: null, items: [], error: errorReport(result.error) };
  const { feed, items } = result;
  return {
    feed: { title: '', url: null, ...feed },
    items: items.map(({ published, ...item }) => ({
      id: null,
      url: null,
      title: '',
      published: published ?? new Date(now).toISOString(),
      published_inferred: published === undefined,
      updated: null,
      author: null,
      summary: '',
      content: '',
      ...item,
    })),
    ...(items.length > 0 ? {} : { error: errorReport(noItems()) }),
  };
}

/** Why a feed without items deserves a word. */
export function noItems(): PipelineError {
  return new PipelineError('feed-no-items', 'This is a feed, but it holds no items.', {
    remedy: 'If that stays so, look for another address of the feed.',
  });
}

function errorReport({ code, message, remedy }: PipelineError): Record<string, unknown> {
  return { code, message, remedy: remedy ?? null };
}
