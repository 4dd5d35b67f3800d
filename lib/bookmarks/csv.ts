/** Tables of links (Pocket, Raindrop, Instapaper, spreadsheets): the header row says which column is what. */
import { parseCsv } from '../lists/csv.js';
import { collect, splitTags } from './record.js';
import type { Collected } from './types.js';

const COLUMNS = {
  url: ['url', 'link', 'href', 'address', 'uri', 'permalink'],
  title: ['title', 'name', 'headline'],
  tags: ['tags', 'labels', 'keywords', 'categories'],
  added: ['time_added', 'added', 'created', 'created_at', 'date', 'timestamp', 'time', 'saved'],
  folder: ['folder', 'collection', 'category', 'list'],
  description: ['note', 'notes', 'excerpt', 'description', 'comment', 'selection', 'summary'],
} as const;

/** Undefined when no column of the first row is one of addresses. */
export function readBookmarkCsv(text: string, now: number): Collected | undefined {
  const rows = parseCsv(text);
  const header = (rows[0] ?? []).map((name) => name.trim().toLowerCase());
  const at = (column: keyof typeof COLUMNS): number => {
    const names: readonly string[] = COLUMNS[column];
    return names.map((name) => header.indexOf(name)).find((index) => index >= 0) ?? -1;
  };
  const place = { url: at('url'), title: at('title'), tags: at('tags'), added: at('added') };
  const [folder, description] = [at('folder'), at('description')];
  if (place.url < 0) return undefined;
  const into: Collected = { bookmarks: [], problems: [] };
  for (const row of rows.slice(1)) {
    collect(
      into,
      {
        url: row[place.url],
        title: row[place.title],
        tags: splitTags(row[place.tags]),
        added: row[place.added] || undefined,
        folders: row[folder]?.split('/') ?? [],
        description: row[description],
      },
      now,
    );
  }
  return into;
}
