/** Plain lists of addresses: one a line, with or without a title, in Markdown or not. */
import { collect } from '../bookmarks/record.js';
import type { Collected } from '../bookmarks/types.js';

const MARKDOWN_LINK = /\[([^\]]+)\]\(<?(https?:\/\/[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?[^)]*\)/gi;
const BARE = /https?:\/\/[^\s<>"'`|\\^{}]+/i;

/**
 * Takes every Markdown link of a line, else its first address; what stands before or after it is the title. Lines that
 * start with `#`, `//` or `;` and have no address are comments or headings; other lines without one are reported.
 */
export function readUrlList(text: string, now: number): Collected {
  const into: Collected = { bookmarks: [], problems: [] };
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || /^(?:#|\/\/|;|---|<!--)/.test(line)) continue;
    const links = [...line.matchAll(MARKDOWN_LINK)];
    for (const [, title, url] of links) collect(into, { url, title }, now);
    if (links.length > 0) continue;
    const bare = BARE.exec(line);
    if (!bare) {
      into.problems.push(`line ${index + 1}: no web address in "${line.slice(0, 60)}"`);
      continue;
    }
    const url = bare[0].replace(/[.,;:!?)\]]+$/, '');
    const rest = `${line.slice(0, bare.index)} ${line.slice(bare.index + bare[0].length)}`;
    collect(into, { url, title: rest.replace(/^[\s\-*+•\d.)[\]x<]+|[\s<>|,:;–—-]+$/g, '').trim() }, now);
  }
  return into;
}
