/** Cuts a note into chunks along its own structure: sections, subsections, blocks; see docs/indexing.md. */
import { createHash } from 'node:crypto';
import type { Chunk, NoteMeta } from '../../runner/items.js';
import type { Block, BlockKind, Structure } from './blocks.js';
import { plainInline } from './plain.js';
import { splitText } from './split.js';

/** Raised whenever the same note would give other chunks, links or metadata: every index is then brought up to date. */
export const INDEX_FORMAT = 1;

export interface ChunkLimits {
  /** A piece with fewer characters joins its neighbour; a note with fewer has no chunk. */
  readonly min: number;
  /** Above this a piece is cut further, down to blocks that must stay whole. */
  readonly max: number;
}

/** Adjacent blocks under one heading, as lines of the body. */
interface Span {
  readonly section: string;
  readonly blocks: readonly Block[];
}

/** A chunk before it is numbered: what it says, where, under which H2. */
interface Draft {
  readonly section: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * One chunk a section (H2; the text before the first H2 is one too). A section above `max` is cut at its H3s, a piece
 * still above it between blocks. Code, tables, math, callouts, footnotes and comments are never cut, lists only between
 * their items, paragraphs at line ends, sentences or words. `firstLine` is the file's line of the body's first one.
 */
export function chunkByHeadings(
  { lines, blocks }: Structure,
  firstLine: number,
  meta: NoteMeta,
  limits: ChunkLimits,
): Chunk[] {
  const sections = splitBefore(blocks, (block) => isHeading(block, 2));
  const drafts = sections.flatMap((section): readonly Draft[] => {
    if (sizeOf(section.blocks, lines) <= limits.max) return [draft(section, lines)];
    const parts = splitBefore(section.blocks, (block) => isHeading(block, 3), section.section);
    return mergeSmall(
      parts.flatMap((part) => pack(part, lines, limits.max)),
      lines,
      limits,
    );
  });
  return number(mergeSmall(drafts, lines, limits), firstLine, meta, limits);
}

/** The team chunker: paragraphs and other blocks packed up to `max` characters, headings only giving the section name. */
export function chunkByParagraphs(
  { lines, blocks }: Structure,
  firstLine: number,
  meta: NoteMeta,
  limits: ChunkLimits,
): Chunk[] {
  const sections = splitBefore(blocks, (block) => isHeading(block, 2));
  const sectionAt = (line: number): string =>
    sections.findLast(({ blocks: [first] }) => (first?.from ?? 0) <= line)?.section ?? '';
  const packed = pack({ section: '', blocks }, lines, limits.max).map((draft) => ({
    ...draft,
    section: sectionAt(draft.from),
  }));
  return number(mergeSmall(packed, lines, limits), firstLine, meta, limits);
}

/**
 * What is embedded of a chunk: the note's title first, and the section's name where the chunk does not begin with it.
 * Tags and domain stay out: editing them must not embed the note again.
 */
export function embeddingText(meta: Pick<NoteMeta, 'title'>, section: string, text: string): string {
  const head = section === '' || text.startsWith('#') ? meta.title : `${meta.title}\n${section}`;
  return `${head}\n${text}`;
}

/** Title, tags, type and domain: what keyword search sees of the note beside the chunk. */
export function headingContext({ title, tags, type, domain }: NoteMeta): string {
  return [title, tags.join(' '), type, domain].filter((part) => part !== undefined && part !== '').join('\n');
}

function isHeading(block: Block, depth: number): boolean {
  return block.kind === 'heading' && (block.depth ?? 6) <= depth;
}

/** Starts a new span at each block `starts` names; an H1 or H2 names the span's section. */
function splitBefore(blocks: readonly Block[], starts: (block: Block) => boolean, section = ''): Span[] {
  const spans: { section: string; blocks: Block[] }[] = [];
  let name = section;
  for (const block of blocks) {
    const last = spans.at(-1);
    if (last && !starts(block)) {
      last.blocks.push(block);
      continue;
    }
    if (isHeading(block, 2)) name = block.depth === 2 ? plainInline(block.title ?? '') : '';
    spans.push({ section: name, blocks: [block] });
  }
  return spans;
}

const spanText = (from: number, to: number, lines: readonly string[]): string => lines.slice(from - 1, to).join('\n');

function sizeOf(blocks: readonly Block[], lines: readonly string[]): number {
  const [first] = blocks;
  const last = blocks.at(-1);
  return first && last ? sizeBetween(first.from, last.to, lines) : 0;
}

function sizeBetween(from: number, to: number, lines: readonly string[]): number {
  let size = to - from;
  for (let line = from; line <= to; line++) size += lines[line - 1]?.length ?? 0;
  return size;
}

function draft({ section, blocks }: Span, lines: readonly string[]): Draft {
  const from = blocks[0]?.from ?? 1;
  const to = blocks.at(-1)?.to ?? from;
  return { section, from, to, text: spanText(from, to, lines) };
}

/** Fills pieces with whole blocks up to `max`. A heading stays with what follows it, a block id with what it names. */
function pack({ section, blocks }: Span, lines: readonly string[], max: number): Draft[] {
  const drafts: Draft[] = [];
  let open: Block[] = [];
  const flush = (): void => {
    if (open.length > 0) drafts.push(draft({ section, blocks: open }, lines));
    open = [];
  };
  for (const unit of units(blocks, lines)) {
    if (open.length > 0 && sizeOf([...open.slice(0, 1), ...unit], lines) > max) flush();
    if (sizeOf(unit, lines) <= max) open.push(...unit);
    else {
      flush();
      drafts.push(...cutUnit(section, unit, lines, max));
    }
  }
  flush();
  return drafts;
}

/** Blocks that belong together: headings with the block after them, a lone `^block-id` with the block before it. */
function units(blocks: readonly Block[], lines: readonly string[]): Block[][] {
  const result: Block[][] = [];
  let glued = false;
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && (glued || isBlockId(block, lines))) last.push(block);
    else result.push([block]);
    glued = block.kind === 'heading';
  }
  return result;
}

function isBlockId({ kind, from, to }: Block, lines: readonly string[]): boolean {
  return kind === 'paragraph' && from === to && /^\^[\w-]+\s*$/.test(lines[from - 1] ?? '');
}

const WHOLE: ReadonlySet<BlockKind> = new Set(['code', 'table', 'math', 'quote', 'footnote', 'comment', 'heading']);

/** Cuts a unit above `max`: its headings go with the first piece of the block that made it too large. */
function cutUnit(section: string, unit: readonly Block[], lines: readonly string[], max: number): Draft[] {
  const large = unit.find((block) => sizeOf([block], lines) > max && !WHOLE.has(block.kind));
  const from = unit[0]?.from ?? 1;
  const to = unit.at(-1)?.to ?? from;
  if (!large) return [{ section, from, to, text: spanText(from, to, lines) }];
  const pieces = large.kind === 'list' ? cutList(large, from, to, lines, max) : cutLines(from, to, lines, max);
  return pieces.map((piece) => ({ section, ...piece }));
}

function cutLines(from: number, to: number, lines: readonly string[], max: number): Omit<Draft, 'section'>[] {
  return splitText(spanText(from, to, lines), max).map((piece) => ({
    text: piece.text.replace(/\n$/, ''),
    from: from + piece.from - 1,
    to: from + piece.to - 1,
  }));
}

/** Cuts a list between its top-level items; one item above `max` stays whole, because its inside may be code. */
function cutList(
  list: Block,
  from: number,
  to: number,
  lines: readonly string[],
  max: number,
): Omit<Draft, 'section'>[] {
  const pieces: Omit<Draft, 'section'>[] = [];
  let start = from;
  const ends = [...(list.items ?? []).map((line) => line - 1), to];
  for (const [i, end] of ends.entries()) {
    const next = ends[i + 1];
    if (next !== undefined && sizeBetween(start, next, lines) <= max) continue;
    pieces.push({ from: start, to: end, text: spanText(start, end, lines) });
    start = end + 1;
  }
  return pieces;
}

function join(a: Draft, b: Draft, lines: readonly string[]): Draft {
  const text =
    b.from > a.to
      ? `${a.text}\n${spanText(a.to + 1, b.from - 1, lines)}${b.from > a.to + 1 ? '\n' : ''}${b.text}`
      : a.text + b.text;
  return { section: a.section === '' ? b.section : a.section, from: a.from, to: b.to, text };
}

/** Pieces below `min` join the piece before them, the first one the piece after it. */
function mergeSmall(drafts: readonly Draft[], lines: readonly string[], { min }: ChunkLimits): readonly Draft[] {
  const merged: Draft[] = [];
  for (const next of drafts) {
    const last = merged.at(-1);
    const small = (draft: Draft): boolean => draft.text.trim().length < min;
    if (last && (small(next) || (merged.length === 1 && small(last))))
      merged[merged.length - 1] = join(last, next, lines);
    else merged.push(next);
  }
  return merged;
}

function number(drafts: readonly Draft[], firstLine: number, meta: NoteMeta, { min }: ChunkLimits): Chunk[] {
  const context = headingContext(meta);
  return drafts
    .filter((draft) => draft.text.trim().length >= Math.max(min, 1))
    .map(({ section, text, from, to }, index) => ({
      index,
      section,
      headingContext: context,
      text,
      lines: [from + firstLine - 1, to + firstLine - 1] as const,
      hash: createHash('sha256')
        .update(embeddingText(meta, section, text))
        .digest('hex'),
    }));
}
