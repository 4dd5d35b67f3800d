/** Updates a note without losing what its reader changed: last written, new, and on disk are merged, never overwritten. */
import { isDeepStrictEqual } from 'node:util';
import { diff3Merge } from 'node-diff3';
import { readFrontmatter, setFrontmatterKey } from '../vault/frontmatter.js';

export interface NoteVersions {
  /** What we wrote last, byte for byte; undefined when that is not known. */
  readonly base: string | undefined;
  /** What we would write now. */
  readonly next: string;
  /** What lies there. */
  readonly disk: string;
}

export interface MergedNote {
  readonly text: string;
  /** Places where reader and source changed the same lines; the reader's stand. */
  readonly conflicts: number;
}

/**
 * Pure three-way merge of a note. Frontmatter goes key by key (lists entry by entry), the body line by line. Where both
 * sides changed the same thing the reader's version stays. Without a `base` nobody can tell what is the reader's, so
 * everything on disk is, and only missing frontmatter keys are added. Frontmatter that is not valid YAML stays untouched.
 */
export function mergeNote({ base, next, disk }: NoteVersions): MergedNote {
  if (disk === base || disk === next) return { text: next, conflicts: 0 };
  if (base === next) return { text: disk, conflicts: 0 };
  const eol = disk.includes('\r\n') ? '\r\n' : '\n';
  const theirs = { disk, next: withEol(next, eol), base: base === undefined ? undefined : withEol(base, eol) };
  const body = mergeBody(theirs);
  const head = disk.slice(0, bodyStart(disk));
  return { text: mergeFrontmatter(head + body.text, theirs), conflicts: body.conflicts };
}

function mergeBody({ base, next, disk }: NoteVersions): MergedNote {
  const own = disk.slice(bodyStart(disk));
  if (base === undefined) return { text: own, conflicts: 0 };
  let conflicts = 0;
  const lines = diff3Merge(
    linesOf(own),
    linesOf(base.slice(bodyStart(base))),
    linesOf(next.slice(bodyStart(next))),
  ).flatMap((region) => {
    if (region.ok) return region.ok;
    conflicts++;
    return region.conflict?.a ?? [];
  });
  return { text: lines.join(''), conflicts };
}

function mergeFrontmatter(text: string, { base, next, disk }: NoteVersions): string {
  const read = { base: readFrontmatter(base ?? ''), next: readFrontmatter(next), disk: readFrontmatter(disk) };
  if (read.disk.problem) return text;
  let merged = text;
  for (const key of new Set([...Object.keys(read.next.data), ...Object.keys(read.base.data)])) {
    const [was, wanted, found] = [read.base.data[key], read.next.data[key], read.disk.data[key]];
    const value = mergeValue(was, wanted, found, base !== undefined);
    if (!isDeepStrictEqual(value, found)) merged = setFrontmatterKey(merged, key, value) ?? merged;
  }
  return merged;
}

/** `found` unless the reader left the key as we wrote it. A key the reader deleted stays deleted. */
function mergeValue(was: unknown, wanted: unknown, found: unknown, hasBase: boolean): unknown {
  if (isDeepStrictEqual(was, found)) return wanted;
  if (!hasBase) return found === undefined ? wanted : found;
  if (!isScalarList(was) || !isScalarList(wanted) || !isScalarList(found)) return found;
  const added = wanted.filter((entry) => !was.includes(entry) && !found.includes(entry));
  const gone = was.filter((entry) => !wanted.includes(entry));
  return [...found.filter((entry) => !gone.includes(entry)), ...added];
}

function isScalarList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((entry) => typeof entry !== 'object');
}

function bodyStart(text: string): number {
  return readFrontmatter(text).span?.end ?? 0;
}

/** Lines with their ends, so that joining gives the same bytes. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function withEol(text: string, eol: string): string {
  return eol === '\n' ? text : text.replace(/\r?\n/g, eol);
}
