/**
 * The Netscape bookmark file every browser writes, and the list Pocket exported. Its markup was never closed properly, so
 * it is read as a stream of tags: an anchor is a bookmark, a heading names the list that follows it.
 */
import { Parser } from 'htmlparser2';
import { collect, type RawRecord, splitTags } from './record.js';
import type { Collected } from './types.js';

/** What is being read: text belongs to it until the next of these tags. */
type Reading = 'nothing' | 'folder' | 'link' | 'description';
const ENDS_DESCRIPTION = new Set(['dt', 'dl', 'a', 'h1', 'h2', 'h3', 'hr', 'li']);

export function readNetscape(html: string, now: number): Collected {
  const into: Collected = { bookmarks: [], problems: [] };
  const folders: string[] = [];
  let heading: string | undefined;
  let reading: Reading = 'nothing';
  let text = '';
  let link: RawRecord | undefined;

  const finish = (): void => {
    if (link) collect(into, link, now);
    link = undefined;
  };
  const endText = (): void => {
    if (reading === 'folder') heading = text;
    if (reading === 'link' && link) link = { ...link, title: text };
    if (reading === 'description' && link) link = { ...link, description: text };
    reading = 'nothing';
    text = '';
  };
  const start = (next: Reading): void => {
    endText();
    reading = next;
  };

  const parser = new Parser({
    onopentag(name, attributes) {
      if (reading === 'description' && ENDS_DESCRIPTION.has(name)) endText();
      if (name === 'a') {
        start('link');
        finish();
        const { href, add_date, time_added, tags } = attributes;
        link = { url: href, folders: [...folders], tags: splitTags(tags), added: add_date ?? time_added };
      } else if (name === 'h3') {
        finish();
        start('folder');
      } else if (name === 'dl') {
        finish();
        folders.push(heading ?? '');
        heading = undefined;
      } else if (name === 'dd') start('description');
    },
    ontext(data) {
      if (reading !== 'nothing') text += data;
    },
    onclosetag(name) {
      if ((name === 'a' && reading === 'link') || (name === 'h3' && reading === 'folder')) endText();
      else if (name === 'dl') {
        endText();
        finish();
        folders.pop();
      }
    },
  });
  parser.write(html);
  parser.end();
  endText();
  finish();
  return into;
}
