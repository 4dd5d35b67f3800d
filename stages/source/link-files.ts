/** The body bookmarks and plain lists share: every configured file of one kind, each record an article. */

import { PipelineError } from '../../runner/errors.js';
import type { Article } from '../../runner/items.js';
import type { Sourced } from '../../runner/stage.js';
import { bytesOf, readSources, type SourcesContext } from '../../store/read-sources.js';

/** Loads the readers of the formats, which only an intake run needs. */
export async function linkFiles(kind: 'bookmarks' | 'list', from: string) {
  const { articleOf } = await import('../../lib/bookmarks/article.js');
  const { readBookmarks } = await import('../../lib/bookmarks/read.js');
  return {
    run: (ctx: SourcesContext): AsyncIterable<Sourced<'Article'>> =>
      readSources(ctx, {
        kind,
        from,
        async *read(source, problem): AsyncGenerator<Article> {
          const file = readBookmarks(await bytesOf(source, ctx), ctx.now());
          for (const line of file.problems) problem(line);
          // A list may be empty today; an export of bookmarks without one that can be used is a damaged file.
          if (kind === 'bookmarks' && file.bookmarks.length === 0 && file.problems.length > 0) {
            throw new PipelineError('bookmarks-none', `No bookmark could be read (taken for ${file.format}).`, {
              file: source.url,
              remedy: 'Export the bookmarks again, as HTML or JSON.',
            });
          }
          const seenAt = new Date(ctx.now()).toISOString();
          const ref = { name: source.name, kind, url: source.url } as const;
          for (const one of file.bookmarks) yield articleOf(one, ref, source.tags, seenAt);
        },
      }),
  };
}
