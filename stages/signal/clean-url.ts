/** Gives every article the one address its page has, before anything is compared or fetched. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';

export const cleanUrl = defineStage({
  name: 'clean-url',
  summary: 'Unwraps redirector links and strips tracking parameters.',
  docs: 'What is stripped stands in `config/tracking-params.yaml`. The address as the source gave it stays in `url`.',
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['none'],
  needs: ['urlCleaner'],
  create: () => ({
    async run(article, ctx) {
      const given = article.canonicalUrl ?? article.url;
      if (given === undefined) return article;
      const canonicalUrl = (await ctx.use('urlCleaner')).clean(given);
      if (canonicalUrl === undefined || canonicalUrl === article.canonicalUrl) return article;
      if (canonicalUrl !== given) ctx.note(`address cleaned to ${canonicalUrl}`);
      return { ...article, canonicalUrl };
    },
  }),
});
