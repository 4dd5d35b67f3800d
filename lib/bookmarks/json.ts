/** Bookmark files in JSON: the `Bookmarks` file of Chromium browsers, Firefox backups, Pinboard exports. */
import { collect, splitTags } from './record.js';
import type { BookmarkFile, Collected } from './types.js';

type Node = Readonly<Record<string, unknown>>;

/** Seconds between 1601, where Chromium counts from, and 1970. */
const WEBKIT_EPOCH_S = 11_644_473_600;

/** Undefined when the JSON is none of the known files. */
export function readBookmarkJson(text: string, now: number): BookmarkFile | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const into: Collected = { bookmarks: [], problems: [] };
  if (Array.isArray(root)) {
    for (const post of root) pinboardPost(into, asNode(post), now);
    return { format: 'pinboard', ...into };
  }
  const node = asNode(root);
  if (isNode(node['roots'])) {
    for (const child of Object.values(node['roots'])) chromeNode(into, asNode(child), [], now);
    return { format: 'chrome', ...into };
  }
  if (typeof node['guid'] === 'string' || String(node['type']).startsWith('text/x-moz-place')) {
    firefoxNode(into, node, [], now);
    return { format: 'firefox', ...into };
  }
  return undefined;
}

function chromeNode(into: Collected, node: Node, folders: readonly string[], now: number): void {
  const name = string(node['name']);
  if (Array.isArray(node['children'])) {
    const inside = [...folders, name ?? ''];
    for (const child of node['children']) chromeNode(into, asNode(child), inside, now);
  } else if (node['type'] === 'url') {
    const micros = Number(node['date_added'] ?? 0);
    const added = micros > 0 ? Math.round(micros / 1e6 - WEBKIT_EPOCH_S) : undefined;
    collect(into, { url: string(node['url']), title: name, folders, added }, now);
  }
}

function firefoxNode(into: Collected, node: Node, folders: readonly string[], now: number): void {
  const title = string(node['title']);
  if (node['type'] === 'text/x-moz-place-container' || Array.isArray(node['children'])) {
    // Firefox keeps one container a tag; the bookmarks in it are listed again in their folders.
    if (node['root'] === 'tagsFolder') return;
    const isRoot = node['root'] !== undefined || folders.length === 0;
    const inside = isRoot ? folders : [...folders, title ?? ''];
    const children = Array.isArray(node['children']) ? node['children'] : [];
    for (const child of children) firefoxNode(into, asNode(child), isRoot ? [...inside, ''] : inside, now);
  } else if (node['type'] === 'text/x-moz-place') {
    const url = string(node['uri']);
    // Saved searches of the browser itself, not bookmarks of the user.
    if (url?.startsWith('place:')) return;
    const added = typeof node['dateAdded'] === 'number' ? node['dateAdded'] : undefined;
    collect(into, { url, title, folders, tags: string(node['tags'])?.split(',') ?? [], added }, now);
  }
}

function pinboardPost(into: Collected, post: Node, now: number): void {
  const url = string(post['href'] ?? post['url'] ?? post['resolved_url'] ?? post['given_url'] ?? post['link']);
  const title = string(post['description'] ?? post['title'] ?? post['resolved_title'] ?? post['given_title']);
  const tags = Array.isArray(post['tags']) ? post['tags'].map(String) : splitTags(string(post['tags']));
  const added = string(post['time'] ?? post['time_added'] ?? post['created']);
  collect(into, { url, title, tags, added, description: string(post['extended'] ?? post['excerpt']) }, now);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asNode(value: unknown): Node {
  return isNode(value) ? value : {};
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
