/** Fetches the page behind an item when the source itself said too little. */
import { z } from 'zod';
import type { HttpResponse } from '../../lib/net/types.js';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { Article } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';
import { duration } from '../../runner/values.js';

const TEXT = /^(text\/|application\/(xhtml\+xml|xml)$)/;

/** Trouble that another try will not mend: the item goes on with what its source said. */
const FINAL = new Set([
  'http-blocked',
  'http-url',
  'http-robots',
  'http-too-large',
  'http-redirects',
  'http-tls',
  'http-encoding',
  'http-offline',
]);

export const fetchPage = defineStage({
  name: 'fetch-page',
  summary: 'Fetches the page of an item whose source gave only a short text.',
  docs: `A page that is gone, refused or not allowed leaves the item with the text of its source, and the trail says why.
Trouble that may pass (time-outs, 5xx, a host that rests) is an error: with \`onError: retry\` it is tried again, and an
item that fails stays in the ledger for the next run.`,
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({
    when: z.enum(['short', 'always', 'never']).default('short').describe('Fetch short items only, all, or none.'),
    shorter: z.number().int().min(0).default(1200).describe('Characters of text below which an item is short.'),
    timeout: duration().optional().describe('Time for the whole exchange; http.timeout of the settings when absent.'),
  }),
  effects: ['network'],
  needs: ['http', 'sources'],
  create: async ({ when, shorter, timeout }) => {
    const { htmlToText } = await import('../../lib/feeds/html.js');
    const { decodePage } = await import('../../lib/web/decode.js');
    const textLength = ({ html, summary }: Article): number => htmlToText(html ?? summary ?? '').length;
    return {
      async run(article: Article, ctx): Promise<Article | Drop> {
        const url = article.canonicalUrl ?? article.url;
        if (url === undefined || when === 'never' || article.markdown !== undefined) return article;
        if (when === 'short' && textLength(article) >= shorter) return article;
        const { limits } = await ctx.use('sources');
        const http = await ctx.use('http');
        try {
          const response = await http.get({
            url,
            headers: { accept: 'text/html, application/xhtml+xml, text/*;q=0.8, */*;q=0.5' },
            maxBytes: limits.maxPageBytes,
            timeoutMs: timeout ?? limits.timeoutMs,
            signal: ctx.signal,
            robots: true,
            wants: (headers) => TEXT.test(mediaType(headers)),
          });
          return withPage(article, response);
        } catch (error) {
          if (!(error instanceof PipelineError) || !FINAL.has(error.code)) throw error;
          ctx.note(`page not read: ${messageOf(error)}`);
          return article;
        }
        function withPage(item: Article, response: HttpResponse): Article | Drop {
          const { status, headers, body } = response;
          if (status === 429 || status >= 500) {
            throw new PipelineError('page-status', `${response.url} answered ${status}.`, {
              remedy: 'The item is tried again on the next run.',
              // A 429 pauses the host; asking at once again would only be refused by our own queue.
              transient: status !== 429,
            });
          }
          if (status < 200 || status > 299) {
            // A dead link of which its source said nothing: there is nothing to judge, and the ledger keeps the reason.
            if (textLength(item) === 0) return drop('page-gone', `${response.url} answered ${status}`);
            ctx.note(`page not read: it answered ${status}`);
            return item;
          }
          const type = mediaType(headers);
          ctx.note(`page fetched (${type}, ${body.length} bytes)`);
          const html = TEXT.test(type) ? decodePage(body, headers['content-type']) : '';
          return { ...item, page: { url: response.url, type, html } };
        }
      },
    };
  },
});

function mediaType(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? 'text/html').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
