/**
 * The block structure of a note: top-level blocks with their lines, from micromark's events. Only the block pass runs
 * (0.25 ms a note of 1.5 kB); a whole syntax tree would take 4 ms and tell a chunker nothing more.
 */
import { parse, preprocess } from 'micromark';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmTable } from 'micromark-extension-gfm-table';
import { math } from 'micromark-extension-math';
import { subtokenize } from 'micromark-util-subtokenize';
import type { Event, Token } from 'micromark-util-types';

export type BlockKind =
  | 'heading'
  | 'paragraph'
  | 'code'
  | 'table'
  | 'list'
  | 'quote'
  | 'math'
  | 'html'
  | 'footnote'
  | 'comment'
  | 'rule';

/** Lines are 1-based and inclusive, counted in the text that was parsed. */
export interface Block {
  readonly kind: BlockKind;
  readonly from: number;
  readonly to: number;
  /** Headings only: 1 to 6, and the text as written. */
  readonly depth?: number;
  readonly title?: string;
  /** Lists only: first lines of the top-level items, the first one left out: where the list may be cut. */
  readonly items?: readonly number[];
}

const KINDS: Readonly<Record<string, BlockKind>> = {
  atxHeading: 'heading',
  setextHeading: 'heading',
  content: 'paragraph',
  codeFenced: 'code',
  codeIndented: 'code',
  table: 'table',
  listOrdered: 'list',
  listUnordered: 'list',
  blockQuote: 'quote',
  mathFlow: 'math',
  htmlFlow: 'html',
  gfmFootnoteDefinition: 'footnote',
  thematicBreak: 'rule',
};

const extensions = [gfmTable(), gfmFootnote(), math()];

/** A text taken apart once, for everything that needs its structure: chunks, links, tags, title. */
export interface Structure {
  readonly lines: readonly string[];
  /** Top-level blocks in order; blank lines belong to none. */
  readonly blocks: readonly Block[];
  /** Lines of code and math at any depth (a fence in a list): nothing in them is a link or a tag. */
  readonly verbatim: readonly (readonly [from: number, to: number])[];
}

/** Parses Markdown with GFM tables, footnotes, `$$` math and Obsidian's `%%` comments. */
export function parseStructure(text: string): Structure {
  const events = parse({ extensions })
    .document()
    .write(preprocess()(text, undefined, true));
  // One pass expands the document into its blocks; further passes would parse inline text.
  subtokenize(events);
  const lines = text.split('\n');
  const verbatim: [number, number][] = [];
  return { lines, blocks: joinComments(collect(events, text, verbatim), lines), verbatim };
}

const VERBATIM = new Set(['codeFenced', 'codeIndented', 'mathFlow']);

function collect(events: readonly Event[], text: string, verbatim: [number, number][]): Block[] {
  const blocks: Block[] = [];
  let depth = 0;
  let heading: { depth?: number; title?: string } = {};
  let items: number[] = [];
  for (const [phase, token] of events) {
    if (phase === 'exit') {
      depth--;
      if (VERBATIM.has(token.type)) verbatim.push([token.start.line, lastLine(token)]);
      const kind = depth === 0 ? KINDS[token.type] : undefined;
      // A setext heading's token begins at the definitions above its text, which are blocks of their own.
      const from = Math.max(token.start.line, (blocks.at(-1)?.to ?? 0) + 1);
      const to = lastLine(token);
      if (!kind || from > to) continue;
      blocks.push({
        kind,
        from,
        to,
        ...(kind === 'heading' ? heading : {}),
        ...(kind === 'list' ? { items: items.slice(1) } : {}),
      });
      heading = {};
      items = [];
      continue;
    }
    depth++;
    if (depth === 2 && token.type === 'listItemPrefix') items.push(token.start.line);
    else if (depth === 2) heading = { ...heading, ...headingPart(token, text) };
  }
  return blocks;
}

function headingPart(token: Token, text: string): { depth?: number; title?: string } {
  switch (token.type) {
    case 'atxHeadingSequence':
      // The closing sequence comes after the text and must not overrule the opening one.
      return token.start.column <= 4 ? { depth: token.end.offset - token.start.offset } : {};
    case 'setextHeadingLine':
      return { depth: text.slice(token.start.offset, token.end.offset).includes('=') ? 1 : 2 };
    case 'atxHeadingText':
    case 'setextHeadingText':
      return { title: text.slice(token.start.offset, token.end.offset) };
    default:
      return {};
  }
}

/** A container's token ends at the start of the line after it when its last line has an end. */
function lastLine({ start, end }: Token): number {
  return end.column === 1 && end.line > start.line ? end.line - 1 : end.line;
}

/** `%%` on a line of its own opens an Obsidian comment that runs over blank lines and headings to the next one. */
function joinComments(blocks: readonly Block[], lines: readonly string[]): readonly Block[] {
  if (!lines.some((line) => line.includes('%%'))) return blocks;
  const fences = blocks.flatMap((block) =>
    block.kind === 'code' || block.kind === 'math' ? [] : linesWithFence(block, lines),
  );
  const joined: Block[] = [];
  let at = 0;
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last?.kind === 'comment' && block.from <= last.to) continue;
    while (at < fences.length && (fences[at] ?? 0) < block.from) at++;
    const open = fences[at];
    const close = fences[at + 1];
    if (open === undefined || close === undefined || open > block.to) joined.push(block);
    else {
      const end = blocks.find((other) => other.from <= close && close <= other.to)?.to ?? close;
      joined.push({ kind: 'comment', from: block.from, to: Math.max(block.to, end) });
      at += 2;
    }
  }
  return joined;
}

function linesWithFence(block: Block, lines: readonly string[]): number[] {
  const found: number[] = [];
  for (let line = block.from; line <= block.to; line++) {
    const text = (lines[line - 1] ?? '').trim();
    // `%% inline %%` opens and closes on its line.
    if (text.startsWith('%%') !== text.endsWith('%%') || text === '%%') found.push(line);
  }
  return found;
}
