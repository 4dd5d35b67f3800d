/** Takes the clippings that lie in the vault's inbox, so that they are judged like everything else. */
import { z } from 'zod';
import { clippingArticle } from '../../lib/note/clipping.js';
import { exactText } from '../../lib/note/text.js';
import { defineStage } from '../../runner/stage.js';
import { readSources } from '../../store/read-sources.js';

export const inbox = defineStage({
  name: 'inbox',
  summary: 'Reads web clippings that lie in the inbox of the vault and were not scored yet.',
  docs: `A clipping is a note whose frontmatter names a web address (\`source\` or \`url\`), as Obsidian Web Clipper writes it. It
is scored in place: \`write-note\` adds the scores to its frontmatter and changes nothing else. Other notes are left alone.`,
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
  }),
  effects: ['reads'],
  needs: ['http', 'ledger', 'sources', 'vault'],
  create: ({ from }) => ({
    run: (ctx) =>
      readSources(ctx, {
        kind: 'inbox',
        from,
        async *read(source, problem) {
          const vault = await ctx.use('vault');
          const folder = source.url.replace(/^\.?\/+|\/+$/g, '');
          const ref = { name: source.name, kind: 'inbox', url: source.url } as const;
          for await (const { path } of vault.walk((at, reason) => problem(`${at}: ${reason}`))) {
            if (!path.startsWith(`${folder}/`)) continue;
            const text = exactText(await vault.read(path));
            const article = text === undefined ? undefined : clippingArticle(path, text, ref, ctx.now());
            if (article) yield article;
          }
        },
      }),
  }),
});
