/** From a message to articles: the message itself, or the links of a digest one by one. */
import { DomUtils, parseDocument } from 'htmlparser2';
import type { Article, SourceRef } from '../../runner/items.js';
import { escapeHtml, foldSpace } from '../feeds/html.js';
import type { Message } from './message.js';

/** A digest has at least this many links with a text of their own. */
const MIN_LINKS = 3;
/** Shorter link texts are "here", "more", a name, a number. */
const MIN_LINK_TEXT = 15;
const MAX_CONTEXT = 1200;

export interface MailContext {
  readonly source: SourceRef;
  readonly tags: readonly string[];
  /** ISO 8601 UTC: for messages without a date. */
  readonly seenAt: string;
}

/** The whole message as one article. Its source is the list it came through, else its sender. */
export function messageArticle(message: Message, { source, tags, seenAt }: MailContext): Article {
  return {
    source: { ...source, name: message.list ?? message.from ?? source.name },
    title: message.subject || 'Message without subject',
    published: message.date ?? seenAt,
    ...(message.date === undefined ? { publishedInferred: true } : {}),
    ...(message.id === undefined ? {} : { guid: message.id }),
    ...(message.webVersion === undefined ? {} : { url: message.webVersion }),
    ...(message.from === undefined ? {} : { author: message.from }),
    ...(message.language === undefined ? {} : { language: message.language }),
    tags,
    html: message.html,
  };
}

/** One article a link; the message itself when it is no digest. The words around a link are its summary. */
export function digestArticles(message: Message, context: MailContext): Article[] {
  const whole = messageArticle(message, context);
  const links = linksOf(message.html);
  if (links.length < MIN_LINKS) return [whole];
  const { guid: _guid, html: _html, author: _author, ...shared } = whole;
  return links.map(({ url, title, text }) => ({
    ...shared,
    url,
    title,
    publishedInferred: true,
    ...(text === '' ? {} : { summary: `<p>${escapeHtml(text)}</p>` }),
  }));
}

interface DigestLink {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

const BLOCKS = new Set(['p', 'li', 'td', 'div', 'section', 'article', 'blockquote', 'h1', 'h2', 'h3', 'h4']);

function linksOf(html: string): DigestLink[] {
  const document = parseDocument(html);
  const found = new Map<string, DigestLink>();
  for (const link of DomUtils.getElementsByTagName('a', document, true)) {
    const url = link.attribs['href']?.trim() ?? '';
    const title = foldSpace(DomUtils.textContent(link));
    if (!/^https?:\/\//i.test(url) || title.length < MIN_LINK_TEXT || found.has(url) || /^https?:/.test(title))
      continue;
    found.set(url, { url, title, text: contextOf(link, title) });
  }
  return [...found.values()];
}

/** Text of the nearest block that says more than the link, as long as it holds no second story. */
function contextOf(link: ReturnType<typeof DomUtils.getElementsByTagName>[number], title: string): string {
  let text = '';
  for (let at = link.parent; at !== null && DomUtils.isTag(at); at = at.parent) {
    if (!BLOCKS.has(at.name)) continue;
    const stories = DomUtils.getElementsByTagName('a', at.children, true).filter(
      (other) => foldSpace(DomUtils.textContent(other)).length >= MIN_LINK_TEXT,
    );
    const words = foldSpace(DomUtils.textContent(at));
    if (stories.length > 1 || words.length > MAX_CONTEXT) break;
    text = words;
    if (words.length > title.length + 40) break;
  }
  return text === title ? '' : text;
}
