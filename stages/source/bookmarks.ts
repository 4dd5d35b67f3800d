/** Reads bookmark files: browsers' exports and profiles, Pocket, Pinboard, tables. */
import { z } from 'zod';
import { articleOf } from '../../lib/bookmarks/article.js';
import { readBookmarks } from '../../lib/bookmarks/read.js';
import { PipelineError } from '../../runner/errors.js';
import { defineStage } from '../../runner/stage.js';
import { bytesOf, readSources } from '../../store/read-sources.js';

export const bookmarks = defineStage({
  name: 'bookmarks',
  summary: 'Reads the configured bookmark files, whatever browser or service wrote them.',
  docs: `The format is told by the content: Netscape HTML (every browser's export, Pocket), the \`Bookmarks\` file of Chrome,
Edge and Brave, Firefox JSON backups, Pinboard JSON and XML, CSV with a header row. Folders become tags. Records without a
web address are reported and passed over.`,
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
        kind: 'bookmarks',
        from,
        async *read(source, problem) {
          const file = readBookmarks(await bytesOf(source, ctx), ctx.now());
          for (const line of file.problems) problem(line);
          if (file.bookmarks.length === 0 && file.problems.length > 0) {
            throw new PipelineError('bookmarks-none', `No bookmark could be read (taken for ${file.format}).`, {
              file: source.url,
              remedy: 'Export the bookmarks again, as HTML or JSON.',
            });
          }
          const seenAt = new Date(ctx.now()).toISOString();
          const ref = { name: source.name, kind: 'bookmarks', url: source.url } as const;
          for (const one of file.bookmarks) yield articleOf(one, ref, source.tags, seenAt);
        },
      }),
  }),
});
