/** Turns hits into one block an agent can be given: attributed, deduplicated, in reading order, inside the budget. */
import type { Context, Hit } from '../../runner/items.js';

export type ContextFormat = 'markdown' | 'xml' | 'text';
/** By best hit, or by path: what is chosen is the same, but an order by path moves less when notes change. */
export type ContextOrder = 'rank' | 'path';

/** Characters a token, as everywhere (SPEC 23). */
const CHARACTERS_PER_TOKEN = 4;
const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/**
 * Notes in the order of their best hit or of their paths, sections of one note in the order of its lines. The headings count against the
 * budget too; sections that no longer fit are left out from the end.
 */
export function assembleContext(
  topic: string,
  hits: readonly Hit[],
  maxTokens: number,
  format: ContextFormat = 'markdown',
  order: ContextOrder = 'rank',
): Context {
  const kept: Hit[] = [];
  let context = render(topic, kept, format, order);
  for (const hit of hits) {
    if (kept.some((k) => k.path === hit.path && overlaps(k.lines, hit.lines))) continue;
    const next = render(topic, [...kept, hit], format, order);
    if (next.tokens > maxTokens && kept.length > 0) continue;
    kept.push(hit);
    context = next;
  }
  return context;
}

function overlaps([a, b]: readonly [number, number], [c, d]: readonly [number, number]): boolean {
  return a <= d && c <= b;
}

function render(topic: string, hits: readonly Hit[], format: ContextFormat, order: ContextOrder): Context {
  const paths = [...new Set(hits.map((h) => h.path))];
  const notes = (order === 'path' ? paths.sort() : paths).map((path) =>
    hits.filter((h) => h.path === path).sort((a, b) => a.lines[0] - b.lines[0]),
  );
  const text = RENDER[format](topic, notes);
  const sources = notes.flat().map(({ path, section, lines }) => ({ file_path: path, section, lines }));
  return { topic, text, tokens: tokensOf(text), sources };
}

type Render = (topic: string, notes: readonly (readonly Hit[])[]) => string;

const place = ({ path, lines: [from, to] }: Hit): string => `${path}:${from}-${to}`;

const RENDER: Readonly<Record<ContextFormat, Render>> = {
  markdown: (topic, notes) => {
    const sections = notes.flatMap((hits) => [
      `## ${hits[0]?.meta.title ?? ''}`,
      ...hits.map((hit) => `${hit.text.trim()}\n\n(${place(hit)})`),
    ]);
    return `${[`# Notes on ${oneLine(topic)}`, ...sections].join('\n\n')}\n`;
  },
  xml: (topic, notes) => {
    const parts = notes.flat().map((hit) => {
      const section = escapeXml(hit.section);
      return `<note path="${escapeXml(hit.path)}" lines="${hit.lines.join('-')}" section="${section}">\n${hit.text.trim()}\n</note>`;
    });
    return `${[`<context topic="${escapeXml(oneLine(topic))}">`, ...parts, '</context>'].join('\n')}\n`;
  },
  text: (_topic, notes) =>
    `${notes
      .flat()
      .map((hit) => `[${place(hit)}]\n${hit.text.trim()}`)
      .join('\n\n')}\n`,
};

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
