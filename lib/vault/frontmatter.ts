/** Frontmatter: read leniently, reported exactly, and changed one key at a time without touching another byte. */
import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument, stringify } from 'yaml';

/** Where the YAML block lies in a text, in UTF-16 units and 1-based lines. */
export interface FrontmatterSpan {
  /** Text between the fences. */
  readonly yaml: string;
  /** Offset of the first YAML character. */
  readonly start: number;
  /** Offset just after the closing fence and its line end. */
  readonly end: number;
  /** Line of the closing fence. */
  readonly lastLine: number;
}

export interface Frontmatter {
  readonly data: Readonly<Record<string, unknown>>;
  readonly span: FrontmatterSpan | undefined;
  /** Set when the block is not valid YAML or not a mapping; `data` then holds what could still be read. */
  readonly problem?: { readonly line: number; readonly message: string };
}

const FENCE = /^---[ \t]*$/;

/** Finds the block: `---` on the very first line (a byte order mark may precede it) up to the next `---`. */
export function findFrontmatter(text: string): FrontmatterSpan | undefined {
  const begin = text.startsWith('\uFEFF') ? 1 : 0;
  if (!text.startsWith('---', begin)) return undefined;
  let at = begin;
  let start = -1;
  for (let line = 1; at < text.length; line++) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    const content = text.slice(at, newline === -1 ? next : newline).replace(/\r$/, '');
    if (line === 1) {
      if (!FENCE.test(content)) return undefined;
      start = next;
    } else if (FENCE.test(content)) {
      return { yaml: text.slice(start, at), start, end: next, lastLine: line };
    }
    at = next;
  }
  return undefined;
}

/** Reads a note's frontmatter. Never throws: a broken block gives a `problem` with its line in the file. */
export function readFrontmatter(text: string): Frontmatter {
  const span = findFrontmatter(text);
  if (!span) return { data: {}, span };
  const lines = new LineCounter();
  const document = parseDocument(span.yaml, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  const lineOf = (offset: number): number => lines.linePos(offset).line + 1;
  let value: unknown;
  try {
    // maxAliasCount stops "billion laughs" documents.
    value = document.toJS({ maxAliasCount: 50 });
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return { data: {}, span, problem: { line: 2, message } };
  }
  const data = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  if (error) return { data, span, problem: { line: lineOf(error.pos[0]), message: firstLine(error.message) } };
  if (span.yaml.trim() !== '' && value !== null && (typeof value !== 'object' || Array.isArray(value)))
    return { data, span, problem: { line: 2, message: 'The frontmatter is not a list of "key: value" lines.' } };
  return { data, span };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

/**
 * Sets (or with `undefined` removes) one top-level key and returns the new text; every byte outside that key's lines is
 * kept: comments, quoting, order, line ends. Returns undefined when the block is malformed: it is then left untouched.
 */
export function setFrontmatterKey(text: string, key: string, value: unknown): string | undefined {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const entry = value === undefined ? '' : stringify({ [key]: value }, { lineWidth: 0 }).replaceAll('\n', eol);
  const { span, problem } = readFrontmatter(text);
  if (!span) {
    if (entry === '') return text;
    const begin = text.startsWith('\uFEFF') ? 1 : 0;
    return `${text.slice(0, begin)}---${eol}${entry}---${eol}${text.slice(begin)}`;
  }
  if (problem) return undefined;
  const range = keyRange(span.yaml, key);
  const [from, to] = range ?? [span.yaml.length, span.yaml.length];
  const before = text.slice(0, span.start + from);
  const lead = entry !== '' && before !== '' && !before.endsWith('\n') ? eol : '';
  return before + lead + entry + text.slice(span.start + to);
}

/** Offsets of a key's whole lines in the YAML, value included; a comment after the value on later lines stays outside. */
function keyRange(yaml: string, key: string): [number, number] | undefined {
  const { contents } = parseDocument<ParsedNode>(yaml, { uniqueKeys: false, logLevel: 'error' });
  if (!isMap(contents)) return undefined;
  for (const pair of contents.items) {
    if (!isScalar(pair.key) || pair.key.value !== key) continue;
    const from = yaml.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
    const valueEnd = pair.value?.range[1] ?? pair.key.range[1];
    const last = Math.max(valueEnd - 1, pair.key.range[1] - 1);
    const newline = yaml.indexOf('\n', last);
    return [from, newline === -1 ? yaml.length : newline + 1];
  }
  return undefined;
}
