/** A file's text taken apart into everything the index keeps of it. */
import type { Chunk, IndexedNote, NoteMeta, VaultFile } from '../../runner/items.js';
import { extractLinks } from '../links/extract.js';
import { type Frontmatter, readFrontmatter } from '../vault/frontmatter.js';
import { plugInFormat, readNoteMeta } from '../vault/note-meta.js';
import { parseStructure, type Structure } from './blocks.js';

export type Chunker = (structure: Structure, firstLine: number, meta: NoteMeta) => readonly Chunk[];

export interface Indexed {
  readonly note: IndexedNote;
  readonly problem?: Frontmatter['problem'];
}

/** Without text (deleted, renamed, touched) there is nothing to take apart and only `file` matters. */
export function indexNote(file: VaultFile, chunker: Chunker): Indexed {
  const { text, ...rest } = file;
  if (text === undefined) return { note: { file: rest, meta: { title: '', tags: [] }, chunks: [], links: [] } };
  const { data, span, problem } = readFrontmatter(text);
  const firstLine = (span?.lastLine ?? 0) + 1;
  const structure = parseStructure(text.slice(span?.end ?? 0));
  const read = readNoteMeta({ path: file.path, stat: file.stat, frontmatter: data, structure });
  const format = plugInFormat(file.path, data);
  const meta = format === undefined ? read : { ...read, type: format };
  const chunks = format === undefined ? chunker(structure, firstLine, meta) : [];
  const links = extractLinks(structure, firstLine, span?.yaml);
  return { note: { file: rest, meta, chunks, links }, ...(problem ? { problem } : {}) };
}
