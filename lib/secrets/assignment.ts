/**
 * Reads `NAME = value` in any of the ways notes write it: code, .env, YAML, JSON, XML, tables, calls, Markdown emphasis.
 * The name is what stands before the separator on the same line; the value is a quoted string or a run of characters.
 */

/** An assignment found at a name. Offsets are those of the bare value. */
export interface Assignment {
  readonly separator: string;
  /** The rest of the name after the word it was found by. */
  readonly tail: string;
  readonly value: string;
  /** The value goes on as an ellipsis: a shortened example. */
  readonly shortened: boolean;
  readonly start: number;
  readonly quoted: boolean;
}

/** Longest value looked at; longer ones are keys in blocks, which have patterns of their own. */
const MAX_VALUE = 320;

/** Rest of the name, closing quotes and brackets, the separator. XML may put the value on the next line. */
const CONNECTOR =
  /([ \t\w.-]{0,20})(?:[\s'"\])*`\\]{0,5}(=>|:{1,3}=|[?.+]?={1,3}|\|\||[ \t]\|(?=[ \t])|:|>\s{0,16})|\\?["'](,))[ \t'"`=*\\]{0,6}/y;
const BARE = /(?:[^\s"'`;<>,(){}[\]\\&]|&(?!(?:amp;)?[\w.-]{1,40}=)){1,320}/y;
const TRAILING = '.,:;!?*';

/** The assignment whose name continues at `at` (the end of a keyword), or undefined. Constant time. */
export function readAssignment(
  text: string,
  at: number,
  last: LastValue = { start: -1, value: '' },
): Assignment | undefined {
  CONNECTOR.lastIndex = at;
  const connector = CONNECTOR.exec(text);
  if (!connector) return undefined;
  const start = CONNECTOR.lastIndex;
  const quote = text.charAt(start - 1);
  const quoted = quote === '"' || quote === "'" || quote === '`';
  const value = quoted ? quotedValue(text, start, quote, last) : bareValue(text, start, last);
  if (value === '') return undefined;
  const shortened = /^(?:\.\.|…)/.test(text.slice(start + value.length, start + value.length + 2));
  return {
    separator: (connector[2] ?? connector[3] ?? '').trim(),
    tail: connector[1] ?? '',
    value,
    start,
    quoted,
    shortened,
  };
}

/** Up to the closing quote; a quote left open ends with the line, and then the bare run is meant. */
function quotedValue(text: string, start: number, quote: string, last: LastValue): string {
  const limit = Math.min(text.length, start + MAX_VALUE + 1);
  for (let i = start; i < limit; i++) {
    const c = text.charAt(i);
    if (c === quote || c === '\\') return text.slice(start, i);
    if (c === '\n') break;
  }
  return bareValue(text, start, last);
}

/** The bare value read last in one text: a name such as `AUTH_TOKEN` holds two keywords with one value. */
export interface LastValue {
  start: number;
  value: string;
}

function bareValue(text: string, start: number, last: LastValue): string {
  if (last.start !== start) {
    last.value = readBare(text, start);
    last.start = start;
  }
  return last.value;
}

function readBare(text: string, start: number): string {
  BARE.lastIndex = start;
  if (!BARE.test(text)) return '';
  let end = BARE.lastIndex;
  while (end > start && TRAILING.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The part of the name before the keyword: at most 40 characters of the same line. */
export function nameBefore(text: string, keywordStart: number): string {
  let start = keywordStart;
  while (start > 0 && keywordStart - start < 40 && isNamePart(text.charCodeAt(start - 1))) start--;
  return text.slice(start, keywordStart);
}

/** Letters, digits, `_`, `.`, space and `-`. */
function isNamePart(code: number): boolean {
  const letter = (code | 32) >= 97 && (code | 32) <= 122;
  return letter || (code >= 48 && code <= 57) || code === 95 || code === 46 || code === 32 || code === 45;
}

/** Lower-case words of a name: camelCase, snake_case, kebab-case, dots and spaces split; trailing digits dropped. */
export function splitWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase().replace(/[0-9]+$/, ''))
    .filter((word) => word !== '');
}
