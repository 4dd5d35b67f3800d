/** Prose of a Markdown text as sentences: code, tables, images and markup are no prose. */

export interface Sentence {
  readonly text: string;
  /** Paragraph it stands in, counted from 0. */
  readonly paragraph: number;
  /** Position in its paragraph, from 0. */
  readonly position: number;
  readonly kind: 'prose' | 'list' | 'quote';
}

/** After these a full stop ends no sentence; single capitals are handled apart. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|al|approx|dept|est|fig|figs|eq|sec|ch|no|nos|vol|pp|ed|eds|dr|mr|mrs|ms|prof|sr|jr|st|inc|ltd|corp|co|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|z\.b|d\.h|u\.a|bzw|ca|vgl|nr|str|p\.ex|env|art|chap|m|mme|mlle|núm|pág|[A-Z])\.$/iu;

/** Characters that the longest of them needs, with the space before it and room to tell a word's middle from its start. */
const LONGEST_ABBREVIATION = 16;

/** Splits Markdown into sentences in reading order. `language` is a BCP 47 tag; unknown ones are split as English. */
export function sentencesOf(markdown: string, language: string | undefined): Sentence[] {
  const segmenter = segmenterFor(language);
  const sentences: Sentence[] = [];
  let paragraph = 0;
  for (const block of proseBlocks(markdown)) {
    let position = 0;
    for (const text of split(block.text, segmenter)) {
      sentences.push({ text, paragraph, position, kind: block.kind });
      position++;
    }
    if (position > 0) paragraph++;
  }
  return sentences;
}

/** One for each language: making one costs as much as splitting a page. Feeds may claim any language, so few are kept. */
const segmenters = new Map<string, Intl.Segmenter>();
const MAX_SEGMENTERS = 50;

function segmenterFor(language = 'en'): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  const made = newSegmenter(language) ?? segmenterFor('en');
  if (segmenters.size < MAX_SEGMENTERS) segmenters.set(language, made);
  return made;
}

function newSegmenter(language: string): Intl.Segmenter | undefined {
  try {
    return new Intl.Segmenter(language, { granularity: 'sentence' });
  } catch {
    return undefined;
  }
}

function split(text: string, segmenter: Intl.Segmenter): string[] {
  const whole: string[] = [];
  let pending = '';
  for (const { segment } of segmenter.segment(text)) {
    pending += segment;
    const trimmed = pending.trimEnd();
    if (ABBREVIATION.test(trimmed.slice(-LONGEST_ABBREVIATION))) continue;
    if (trimmed !== '') whole.push(trimmed.trimStart());
    pending = '';
  }
  if (pending.trim() !== '') whole.push(pending.trim());
  return whole;
}

interface Block {
  readonly text: string;
  readonly kind: Sentence['kind'];
}

/** At any depth: code inside a list item is indented. */
const FENCE = /^\s*(`{3,}|~{3,})/;
const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;

/** A line scan instead of a parser: it only has to tell prose from the rest, a thousand times a run. */
function* proseBlocks(markdown: string): Generator<Block> {
  let lines: string[] = [];
  let kind: Sentence['kind'] = 'prose';
  let fence: string | undefined;
  const end = function* (): Generator<Block> {
    const text = plain(lines.join(' '));
    if (/\p{L}/u.test(text)) yield { text, kind };
    lines = [];
    kind = 'prose';
  };
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) fence = mark;
    const isBreak =
      mark !== undefined ||
      /^\s*$/.test(line) ||
      /^ {0,3}#{1,6}\s/.test(line) ||
      /^\s*\|/.test(line) ||
      /^ {0,3}(?:[-*_]\s*){3,}$/.test(line) ||
      /^ {0,3}\[[^\]]+\]:/.test(line);
    if (isBreak) {
      yield* end();
      continue;
    }
    if (LIST.test(line)) {
      yield* end();
      kind = 'list';
    } else if (/^\s*>/.test(line) && lines.length === 0) kind = 'quote';
    lines.push(line.replace(/^\s*>\s?/, '').replace(LIST, ''));
  }
  yield* end();
}

/** Markdown inline markup taken off; formulas and code keep their text. */
function plain(text: string): string {
  if (!/[[<*_~\\]/.test(text)) return text.replace(/\s+/g, ' ').trim();
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[\^[^\]]+\]/g, '')
    .replace(/\[([^\]]*)\]\((?:<[^>]*>|[^()]*(?:\([^()]*\)[^()]*)*)\)/g, '$1')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
