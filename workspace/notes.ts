/** Reads and lists notes for agents: only what the index may show, a bounded piece at a time, with a way to read on. */
import { distance } from 'fastest-levenshtein';
import { visibleSensitivities } from '../lib/query/filter.js';
import { decodeNote } from '../lib/vault/decode.js';
import { PipelineError } from '../runner/errors.js';
import type { Filter } from '../runner/items.js';
import type { ChunkStore, NoteRecord } from '../store/types.js';
import type { Workspace } from './workspace.js';

/** Longest text one read gives, in characters: about 5,000 tokens. */
export const READ_LIMIT = 20_000;
const NOTES_TO_COMPARE = 20_000;

export interface ReadRequest {
  readonly path: string;
  /** First line, 1-based. */
  readonly from?: number;
  /** Last line, inclusive. */
  readonly to?: number;
  readonly ceiling: NonNullable<Filter['ceiling']>;
}

export interface NoteText {
  readonly file_path: string;
  readonly title: string;
  readonly lines: readonly [from: number, to: number];
  readonly total_lines: number;
  readonly text: string;
  /** Line to continue from; null when the note ends here. */
  readonly next_line: number | null;
  /** Headings with their lines, so that a reader of a long note can choose. */
  readonly outline: readonly { readonly line: number; readonly level: number; readonly heading: string }[];
}

/**
 * Reads part of an indexed note. The index decides what exists: ignored, secret-classed and outside paths are unknown.
 * @throws {PipelineError} `note-unknown` with the nearest paths, `bad-range`.
 */
export async function readNote(workspace: Workspace, { path, from = 1, to, ceiling }: ReadRequest): Promise<NoteText> {
  const store = await workspace.resources.use('store');
  const wanted = path.normalize('NFC').replace(/^\.?\//, '');
  const note = await findNote(store, wanted);
  if (!note || !visibleSensitivities(ceiling).includes(note.meta.sensitivity ?? 'internal'))
    throw await unknownNote(store, wanted, ceiling);
  const vault = await workspace.resources.use('vault');
  const scrubber = await workspace.resources.use('scrubber');
  const { text } = decodeNote(await vault.read(note.path));
  // The whole note is scrubbed before it is cut: a secret must not escape by lying across the cut.
  const lines = scrubber.scrub(text).text.split('\n');
  if (from > lines.length || (to !== undefined && to < from)) {
    throw new PipelineError('bad-range', `${note.path} has ${lines.length} lines.`, {
      remedy: `Ask for lines between 1 and ${lines.length}.`,
    });
  }
  const last = lastLine(lines, from, Math.min(to ?? lines.length, lines.length));
  return {
    file_path: note.path,
    title: note.meta.title,
    lines: [from, last],
    total_lines: lines.length,
    text: lines
      .slice(from - 1, last)
      .join('\n')
      .slice(0, READ_LIMIT),
    next_line: last < lines.length ? last + 1 : null,
    outline: outlineOf(lines),
  };
}

/** The last line that still fits the limit; at least the first one. */
function lastLine(lines: readonly string[], from: number, to: number): number {
  let size = 0;
  for (let line = from; line <= to; line++) {
    size += (lines[line - 1]?.length ?? 0) + 1;
    if (size > READ_LIMIT) return Math.max(from, line - 1);
  }
  return to;
}

function outlineOf(lines: readonly string[]): NoteText['outline'] {
  let fenced = false;
  return lines.flatMap((text, i) => {
    if (/^\s*(```|~~~)/.test(text)) fenced = !fenced;
    const match = fenced ? null : /^(#{1,4})\s+(.+?)\s*#*$/.exec(text);
    return match?.[1] && match[2] ? [{ line: i + 1, level: match[1].length, heading: match[2] }] : [];
  });
}

async function findNote(store: ChunkStore, path: string): Promise<NoteRecord | undefined> {
  return (
    (await store.note(path)) ??
    (await store.note(path.normalize('NFD'))) ??
    (path.endsWith('.md') ? undefined : await store.note(`${path}.md`))
  );
}

async function unknownNote(store: ChunkStore, path: string, ceiling: ReadRequest['ceiling']): Promise<PipelineError> {
  const notes = await store.notes({ filter: { ceiling }, limit: NOTES_TO_COMPARE, order: 'path' });
  const name = (p: string): string => (p.split('/').at(-1) ?? p).toLowerCase();
  const near = notes
    .map((note) => ({
      path: note.path,
      far: Math.min(distance(name(note.path), name(path)), distance(note.path.toLowerCase(), path.toLowerCase())),
    }))
    .filter(({ far }) => far <= Math.max(3, Math.floor(name(path).length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3);
  const remedy =
    near.length > 0
      ? `Did you mean ${near.map((n) => `"${n.path}"`).join(', ')}?`
      : 'Search for it, or list the notes of a folder.';
  return new PipelineError('note-unknown', `There is no note "${path}" in the index.`, { remedy });
}

export interface NoteListing {
  readonly file_path: string;
  readonly title: string;
  readonly type: string | null;
  readonly domain: string | null;
  readonly tags: readonly string[];
  readonly created: string | null;
  readonly updated: string | null;
}

/** Notes by filter, newest first; `cursor` is the offset of the page. */
export async function listNotes(
  workspace: Workspace,
  filter: Filter,
  limit: number,
  cursor = 0,
): Promise<{ notes: NoteListing[]; next_cursor: string | null }> {
  const store = await workspace.resources.use('store');
  const found = await store.notes({ filter, limit: limit + 1, offset: cursor, order: 'updated' });
  const notes = found.slice(0, limit).map(({ path, meta }) => ({
    file_path: path,
    title: meta.title,
    type: meta.type ?? null,
    domain: meta.domain ?? null,
    tags: meta.tags,
    created: meta.created ?? null,
    updated: meta.updated ?? null,
  }));
  return { notes, next_cursor: found.length > limit ? String(cursor + limit) : null };
}
