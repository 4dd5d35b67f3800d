/** Reads plain lists of links: one a line, in Markdown, or a table. */
import { z } from 'zod';
import { articleOf } from '../../lib/bookmarks/article.js';
import { readBookmarks } from '../../lib/bookmarks/read.js';
import { defineStage } from '../../runner/stage.js';
import { bytesOf, readSources } from '../../store/read-sources.js';

export const urlList = defineStage({
  name: 'url-list',
  summary: 'Reads the configured lists of links.',
  docs: 'Lines that start with `#` are comments. Words beside an address, or a Markdown link text, are its title.',
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
  }),
  effects: ['network'],
  needs: ['http', 'ledger', 'sources'],
  create: ({ from }) => ({
    run: (ctx) =>
      readSources(ctx, {
        kind: 'list',
        from,
        async *read(source, problem) {
          const list = readBookmarks(await bytesOf(source, ctx), ctx.now());
          for (const line of list.problems) problem(line);
          const seenAt = new Date(ctx.now()).toISOString();
          const ref = { name: source.name, kind: 'list', url: source.url } as const;
          for (const one of list.bookmarks) yield articleOf(one, ref, source.tags, seenAt);
        },
      }),
  }),
});
