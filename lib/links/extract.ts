/** Links from one note to others: wiki-links, embeds and Markdown links to files, with the lines they stand on. */
import type { NoteLink } from '../../runner/items.js';
import type { Structure } from '../chunk/blocks.js';

const WIKI = /(!?)\[\[([^[\]|#\n]*)(?:#([^[\]|\n]*))?(?:\|([^[\]\n]*))?\]\]/g;
const MARKDOWN = /(!?)\[((?:[^[\]\\\n]|\\.)*)\]\(\s*(?:<([^<>\n]+)>|([^\s()<>]+))(?:\s+["'(][^\n]*?["')])?\s*\)/g;
const INLINE_CODE = /(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;
/** A URL scheme or a network path: not a note. */
const FOREIGN = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/**
 * Links of a parsed body, in order. `firstLine` is the file's line of the body's first one; `yaml` is the frontmatter,
 * whose properties may hold wiki-links too (its first line is line 2 of the file).
 */
export function extractLinks(structure: Structure, firstLine: number, yaml = ''): NoteLink[] {
  const links: NoteLink[] = [];
  if (yaml.includes('[[')) for (const [i, line] of yaml.split('\n').entries()) links.push(...wikiLinks(line, i + 2));
  for (const [line, text] of proseLines(structure)) {
    if (!text.includes('[[') && !text.includes('](')) continue;
    const prose = text.replace(INLINE_CODE, (code) => ' '.repeat(code.length));
    links.push(...wikiLinks(prose, line + firstLine - 1), ...markdownLinks(prose, line + firstLine - 1));
  }
  return links;
}

/** Lines outside code and math, with their 1-based numbers. */
export function* proseLines({ lines, verbatim }: Structure): Generator<[line: number, text: string]> {
  let next = 0;
  for (let line = 1; line <= lines.length; line++) {
    while (next < verbatim.length && (verbatim[next]?.[1] ?? 0) < line) next++;
    if (line < (verbatim[next]?.[0] ?? Number.POSITIVE_INFINITY)) yield [line, lines[line - 1] ?? ''];
  }
}

function wikiLinks(text: string, line: number): NoteLink[] {
  return [...text.matchAll(WIKI)].flatMap(([, bang, target = '', heading, alias]) =>
    make(target, heading, alias?.replace(/\\$/, ''), bang === '!', line),
  );
}

function markdownLinks(text: string, line: number): NoteLink[] {
  return [...text.matchAll(MARKDOWN)].flatMap(([, bang, label = '', angled, plain]) => {
    const url = angled ?? plain ?? '';
    if (FOREIGN.test(url)) return [];
    const [path = '', heading] = url.split('#', 2);
    return make(decode(path), heading === undefined ? undefined : decode(heading), label, bang === '!', line);
  });
}

/** A target of only `#heading` points into its own note and is no link between notes. */
function make(target: string, heading: string | undefined, alias: string | undefined, embed: boolean, line: number) {
  // In a table the alias bar is written `\|`, which leaves a backslash on the target.
  const clean = target.trim().replace(/\\$/, '');
  if (clean === '') return [];
  return [
    {
      target: clean,
      embed,
      line,
      ...(heading?.trim() ? { heading: heading.trim() } : {}),
      ...(alias?.trim() ? { alias: alias.trim() } : {}),
    },
  ];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
