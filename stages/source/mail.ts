/** Reads newsletters from mail that lies on disk. */
import { z } from 'zod';
import { messageOf } from '../../runner/errors.js';
import { defineStage } from '../../runner/stage.js';
import { byteSize } from '../../runner/values.js';
import { readSources } from '../../store/read-sources.js';

export const mail = defineStage({
  name: 'mail',
  summary: 'Reads newsletters from .eml and mbox files, Maildirs and folders of messages.',
  docs: `The list a message came through (List-Id), else its sender, is its source. Preheaders, footers and counting pixels
are dropped, and links that lead through a counter are replaced by their target where the link names it.`,
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
    split: z
      .array(z.string())
      .default([])
      .describe('Sources (by name) whose messages are digests: each link becomes an item of its own; `*` is all.'),
    largest: byteSize()
      .default(25 * 1024 * 1024)
      .describe('Larger messages are reported and passed over.'),
  }),
  effects: ['reads'],
  needs: ['http', 'ledger', 'sources'],
  create: async ({ from, split, largest }) => {
    const { digestArticles, messageArticle } = await import('../../lib/mail/articles.js');
    const { messagesAt } = await import('../../lib/mail/mailbox.js');
    const { readMessage } = await import('../../lib/mail/message.js');
    return {
      run: (ctx) =>
        readSources(ctx, {
          kind: 'mail',
          from,
          async *read(source, problem) {
            const path = (await ctx.use('sources')).path(source.url);
            const isDigest = split.includes('*') || split.includes(source.name);
            const seenAt = new Date(ctx.now()).toISOString();
            const ref = { name: source.name, kind: 'mail', url: source.url } as const;
            const onProblem = (place: string, reason: string): void => problem(`${place}: ${reason}`);
            for await (const { place, bytes } of messagesAt(path, { maxBytes: largest, onProblem })) {
              try {
                const message = await readMessage(bytes, ctx.now());
                const context = { source: ref, tags: source.tags, seenAt };
                yield* isDigest ? digestArticles(message, context) : [messageArticle(message, context)];
              } catch (error) {
                onProblem(place, messageOf(error));
              }
            }
          },
        }),
    };
  },
});
