/** Finds the article in a page: jsdom without scripts or resources, Readability, Markdown. Runs in a worker. */
import { Readability } from '@mozilla/readability';
import { JSDOM, VirtualConsole } from 'jsdom';
import { createMarkdownConverter } from './markdown.js';
import type { ExtractedPage } from './types.js';

const toMarkdown = createMarkdownConverter();
/** Elements a page may hold before Readability would take seconds; such a page falls back to its text. */
const MOST_ELEMENTS = 60_000;
const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-hi-res-src', 'data-srcset', 'data-lazy-srcset'];
const PIXEL = /\b(pixel|beacon|tracking|stat(s|counter)?|analytics)\b|doubleclick|\/(open|px|imp)\.(gif|png)/i;

/**
 * @param url of the page: relative links are resolved against it.
 * Never throws for bad HTML; a page without an article gives its body text with `fallback`.
 */
export function extractPage(html: string, url: string): ExtractedPage {
  const document = parse(html, url);
  const meta = readMeta(document, url);
  prepare(document);
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
  const found = markdown.length > 0;
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

/** A fragment (a feed's own HTML) as Markdown, with the same cleaning. */
export function fragmentToMarkdown(html: string, url: string | undefined): string {
  const document = parse(`<!doctype html><body>${html}</body>`, url);
  prepare(document);
  return toMarkdown(document.body);
}

function parse(html: string, url: string | undefined): Document {
  return new JSDOM(html, {
    ...(url !== undefined && /^https?:/.test(url) ? { url } : {}),
    virtualConsole: new VirtualConsole(),
  }).window.document;
}

/** Resolves lazy images, drops tracking pixels, keeps TeX, makes every address absolute. */
function prepare(document: Document): void {
  for (const script of document.querySelectorAll('script[type^="math/tex"]')) {
    const display = script.getAttribute('type')?.includes('mode=display');
    script.replaceWith(display ? `$$${script.textContent}$$` : `$${script.textContent}$`);
  }
  for (const annotation of document.querySelectorAll('annotation[encoding="application/x-tex"]')) {
    const math = annotation.closest('.katex, math') ?? annotation;
    math.replaceWith(`$${annotation.textContent}$`);
  }
  for (const img of document.querySelectorAll('img')) {
    const lazy = LAZY.map((name) => img.getAttribute(name)).find((value) => value);
    const src = img.getAttribute('src') ?? '';
    if (lazy && (src === '' || src.startsWith('data:') || /placeholder|blank|spacer/i.test(src))) {
      img.setAttribute('src', lazy.trim().split(/[\s,]/)[0] ?? '');
    }
    if (isPixel(img)) img.remove();
    else absolute(img, 'src');
  }
  for (const link of document.querySelectorAll('a[href]')) absolute(link, 'href');
}

function isPixel(img: Element): boolean {
  const size = (name: string): number => Number.parseInt(img.getAttribute(name) ?? '', 10);
  if (size('width') <= 2 || size('height') <= 2) return true;
  const style = img.getAttribute('style') ?? '';
  if (/(?:width|height)\s*:\s*[01](px)?\b|display\s*:\s*none/i.test(style)) return true;
  return !img.getAttribute('alt') && PIXEL.test(img.getAttribute('src') ?? '');
}

function absolute(element: Element, name: 'src' | 'href'): void {
  const value = element.getAttribute(name) ?? '';
  if (value === '' || value.startsWith('#') || value.startsWith('data:')) return;
  try {
    element.setAttribute(name, new URL(value, element.ownerDocument.baseURI).href);
  } catch {
    // Not an address; it stays as written.
  }
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
  prepare(document);
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
