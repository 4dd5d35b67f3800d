/** A fragment of HTML (a feed's own text) as Markdown. Uses a small DOM: a feed's thousand items need no browser. */
import { createRequire } from 'node:module';
import { createMarkdownConverter } from './markdown.js';
import { prepare } from './prepare.js';

// CommonJS, with typings for another name.
const { createDocument } = createRequire(import.meta.url)('@mixmark-io/domino') as {
  createDocument(html: string): Document;
};

const toMarkdown = createMarkdownConverter();

/** @param url base of relative links; they stay as written without one. */
export function fragmentToMarkdown(html: string, url: string | undefined): string {
  const document = createDocument(`<!doctype html><body>${html}</body>`);
  prepare(document, url);
  return toMarkdown(document.body);
}
