/** Turns what was fetched, or what the source itself sent, into readable Markdown. */
import { z } from 'zod';
import { isoDateOf } from '../../lib/dates.js';
import type { UrlCleaner } from '../../lib/identity/clean-url.js';
import { linkText } from '../../lib/web/link-text.js';
import type { ExtractedPage } from '../../lib/web/types.js';
import { messageOf } from '../../runner/errors.js';
import type { Article, FetchedPage } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';

export const extract = defineStage({
  name: 'extract',
  summary: 'Finds the article in the page and gives it as Markdown; falls back to the text of the source.',
  docs: `Runs in worker threads with a time limit, so that one page can neither stall nor kill a run. Scripts do not run and
nothing is loaded. A page that gives less than its source said is set aside for the source's text, and \`fallback\` says so.
What is no text (a PDF, a picture) becomes a note with a link.`,
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({
    fallback: z
      .enum(['feed-text', 'none'])
      .default('feed-text')
      .describe(
        'What stands in for a page that gives nothing: the text of the source, or nothing (the item is dropped).',
      ),
  }),
  effects: ['none'],
  needs: ['extractor', 'urlCleaner'],
  create: ({ fallback }) => ({
    async run(article: Article, ctx): Promise<Article | Drop> {
      const { page, ...item } = article;
      if (item.markdown !== undefined) return item;
      const extractor = await ctx.use('extractor');
      const own = await extractor.toMarkdown(item.html ?? item.summary ?? '', item.canonicalUrl ?? item.url);
      if (page === undefined) return { ...item, markdown: own };
      const urls = await ctx.use('urlCleaner');
      if (!/html|xml/.test(page.type)) {
        ctx.note(`link only: ${page.type}`);
        const markdown = page.type.startsWith('text/') ? page.html : linkText(item, page, own);
        return { ...item, canonicalUrl: urls.clean(page.url) ?? page.url, markdown };
      }
      let read: ExtractedPage | undefined;
      try {
        read = await extractor.extract(page.html, page.url);
      } catch (error) {
        ctx.log('warn', messageOf(error));
        ctx.note(`page not readable: ${messageOf(error)}`);
      }
      // The whole body of a page without an article is worth less than what the source chose to say.
      const isBetter = read !== undefined && read.markdown.length > own.length && !(read.fallback && own.length > 0);
      if (!isBetter && fallback === 'none') return drop('no-text', 'the page gave no article');
      ctx.note(isBetter ? `article of ${read?.markdown.length} characters` : 'text of the source kept');
      return merged(item, page, read, isBetter ? undefined : own, urls, ctx.now());
    },
  }),
});

/** The item with what the page knew better; the source's own title, author and date stand where it gave them. */
function merged(
  item: Article,
  page: FetchedPage,
  read: ExtractedPage | undefined,
  own: string | undefined,
  urls: UrlCleaner,
  now: number,
): Article {
  const address = canonicalOf(page, read);
  const published = item.publishedInferred ? isoDateOf(read?.published, now) : undefined;
  const { publishedInferred: _inferred, ...rest } = item;
  const author = item.author ?? read?.byline;
  const site = item.site ?? read?.site;
  const language = item.language ?? read?.lang;
  return {
    ...(published === undefined ? item : { ...rest, published }),
    title: isPoorTitle(item) ? read?.title || item.title : item.title,
    canonicalUrl: urls.clean(address) ?? address,
    ...(author === undefined ? {} : { author }),
    ...(site === undefined ? {} : { site }),
    ...(language === undefined ? {} : { language }),
    markdown: own ?? read?.markdown ?? '',
    ...(own === undefined && !read?.fallback ? {} : { fallback: true }),
  };
}

/** Lists and bookmarks often have the address for a title. */
function isPoorTitle({ title, url }: Article): boolean {
  return title === '' || title === url || /^https?:\/\//.test(title);
}

/** rel=canonical, unless a template gave every page of the site the address of its front page. */
function canonicalOf(page: FetchedPage, read: ExtractedPage | undefined): string {
  const { canonicalUrl } = read ?? {};
  if (canonicalUrl === undefined || !URL.canParse(canonicalUrl)) return page.url;
  const [stated, fetched] = [new URL(canonicalUrl), new URL(page.url)];
  const isFrontPage = stated.pathname === '/' && fetched.pathname !== '/' && stated.search === '';
  return isFrontPage || !/^https?:$/.test(stated.protocol) ? page.url : canonicalUrl;
}
