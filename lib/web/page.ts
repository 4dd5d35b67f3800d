/** Finds the article in a page: jsdom without scripts or resources, Readability, Markdown. Runs in a worker. */
import { Readability } from '@mozilla/readability';
import { JSDOM, VirtualConsole } from 'jsdom';
import { createMarkdownConverter } from './markdown.js';
import { prepare } from './prepare.js';
import type { ExtractedPage } from './types.js';

const toMarkdown = createMarkdownConverter();
/** Characters of text an article has at least. */
const LEAST_ARTICLE = 140;
/** Elements a page may hold before Readability would take seconds; such a page falls back to its text. */
const MOST_ELEMENTS = 60_000;

/**
 * @param url of the page: relative links are resolved against it.
 * Never throws for bad HTML; a page without an article gives its body text with `fallback`.
 */
export function extractPage(html: string, url: string): ExtractedPage {
  const document = parse(html, url);
  const meta = readMeta(document, url);
  prepare(document, document.baseURI);
  let article: ReturnType<Readability<HTMLElement>['parse']> = null;
  try {
    article = new Readability<HTMLElement>(document, {
      keepClasses: true,
      maxElemsToParse: MOST_ELEMENTS,
      serializer: (node) => node as HTMLElement,
    }).parse();
  } catch {
    // More elements than the limit, or a document Readability cannot take: the fallback below.
  }
  const markdown = article?.content ? toMarkdown(article.content) : '';
  // Readability calls any scrap an article; below this it is a menu or a stub, and the whole body says more.
  const found = markdown.length > 0 && (article?.length ?? 0) >= LEAST_ARTICLE;
  return compact({
    url,
    title: clean(article?.title) ?? meta.title ?? '',
    byline: clean(article?.byline) ?? meta.byline,
    published: article?.publishedTime ?? meta.published,
    site: clean(article?.siteName) ?? meta.site,
    lang: article?.lang ?? meta.lang,
    canonicalUrl: meta.canonicalUrl,
    markdown: found ? markdown : bodyText(html, url),
    excerpt: clean(article?.excerpt),
    fallback: !found,
  });
}

function parse(html: string, url: string | undefined): Document {
  // Nothing is laid out: parsing style sheets took half the time of a large page (1.1 s of 1.8 s for one of 730 kB).
  return new JSDOM(html.replace(/<style\b[\s\S]*?<\/style\s*>/gi, ''), {
    ...(url !== undefined && /^https?:/.test(url) ? { url } : {}),
    virtualConsole: new VirtualConsole(),
  }).window.document;
}

function readMeta(document: Document, url: string): Partial<ExtractedPage> {
  const content = (selector: string): string | undefined =>
    clean(document.querySelector(selector)?.getAttribute('content'));
  const canonical = document.querySelector('link[rel="canonical"]')?.getAttribute('href');
  return compact({
    title: content('meta[property="og:title"]') ?? clean(document.title),
    byline: content('meta[name="author"]'),
    published:
      content('meta[property="article:published_time"]') ??
      content('meta[name="date"]') ??
      document.querySelector('time[datetime]')?.getAttribute('datetime') ??
      undefined,
    site: content('meta[property="og:site_name"]'),
    lang: clean(document.documentElement.lang),
    canonicalUrl: canonical ? resolved(canonical, url) : undefined,
  });
}

function resolved(href: string, base: string): string | undefined {
  try {
    return new URL(href, base).href;
  } catch {
    return undefined;
  }
}

function bodyText(html: string, url: string): string {
  const document = parse(html, url);
  prepare(document, document.baseURI);
  for (const element of document.querySelectorAll('nav, header, footer, aside')) element.remove();
  return toMarkdown(document.body);
}

function clean(text: string | null | undefined): string | undefined {
  const trimmed = text?.replace(/\s+/g, ' ').trim();
  return trimmed ? trimmed : undefined;
}

function compact<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}
