/** A fragment of HTML (a feed's own text) as Markdown. Uses a small DOM: a feed's thousand items need no browser. */
import { createDocument } from '@mixmark-io/domino';
import { createMarkdownConverter } from './markdown.js';
import { prepare } from './prepare.js';

const toMarkdown = createMarkdownConverter();

/** @param url base of relative links; they stay as written without one. */
export function fragmentToMarkdown(html: string, url: string | undefined): string {
  const document = createDocument(`<!doctype html><body>${html}</body>`);
  prepare(document, url);
  return toMarkdown(document.body);
}
