/** Tells bookmark formats apart by what is in the file, not by its name. */
import { Parser } from 'htmlparser2';
import { readUrlList } from '../lists/url-list.js';
import { decodePage } from '../web/decode.js';
import { readBookmarkCsv } from './csv.js';
import { readBookmarkJson } from './json.js';
import { readNetscape } from './netscape.js';
import { collect, splitTags } from './record.js';
import type { BookmarkFile, Collected } from './types.js';

/**
 * Reads any bookmark export. A file without a single usable record is no error here: `problems` says what was in it.
 * @param now milliseconds since the epoch: dates after it are not believed.
 */
export function readBookmarks(bytes: Uint8Array, now: number): BookmarkFile {
  const text = decodePage(bytes, undefined).replace(/^\uFEFF/, '');
  const start = text.trimStart().slice(0, 2000);
  if (/^[[{]/.test(start)) {
    const file = readBookmarkJson(text, now);
    if (file) return file;
  }
  if (/^<\?xml|^<posts\b/i.test(start) && /<posts\b/i.test(start))
    return { format: 'pinboard-xml', ...readPosts(text, now) };
  if (start.startsWith('<')) return { format: 'netscape', ...readNetscape(text, now) };
  const table = readBookmarkCsv(text, now);
  return table ? { format: 'csv', ...table } : { format: 'urls', ...readUrlList(text, now) };
}

/** Pinboard's and Delicious' XML: one `<post>` with everything in attributes. */
function readPosts(xml: string, now: number): Collected {
  const into: Collected = { bookmarks: [], problems: [] };
  const parser = new Parser(
    {
      onopentag(name, { href, description, extended, tag, time }) {
        if (name !== 'post') return;
        collect(into, { url: href, title: description, description: extended, tags: splitTags(tag), added: time }, now);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return into;
}
