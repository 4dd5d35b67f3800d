/** The CommonMark and GFM specifications' own examples, cut as small as allowed: no line is lost, no block is torn. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseStructure } from '../../../lib/chunk/blocks.js';
import { chunkByHeadings, chunkByParagraphs } from '../../../lib/chunk/chunk.js';
import { ignoreRules } from '../../../lib/vault/ignore-rules.js';
import { sharedPath } from '../../shared.js';

interface Example {
  readonly example: number;
  readonly markdown: string;
  readonly html: string;
}

const meta = { title: 't', tags: [] };
/** Each example by itself, and all of them one after the other as one note. */
function textsOf(file: string): [name: string, text: string][] {
  const examples = JSON.parse(readFileSync(file, 'utf8')) as Example[];
  const joined = examples.map(({ markdown }) => markdown).join('\n\n## Section of some length for the walk\n\n');
  return [
    ...examples.map(({ example, markdown }): [string, string] => [`example ${example}`, markdown]),
    ['all', joined],
  ];
}

describe.each(['commonmark.json', 'gfm.json'])('%s', (name) => {
  const file = sharedPath('eval', 'conformance', name);
  test.skipIf(!file)('spans reproduce the text, and none begins or ends inside a fence or a table', () => {
    const texts = textsOf(file ?? '');
    expect(texts.length).toBeGreaterThan(600);
    for (const [example, raw] of texts) {
      const text = raw.replaceAll('→', '\t');
      const structure = parseStructure(text);
      const lines = text.split('\n');
      for (const chunker of [chunkByHeadings, chunkByParagraphs]) {
        const chunks = chunker(structure, 1, meta, { min: 1, max: 20 });
        let next = 1;
        let rebuilt = '';
        for (const { lines: span, text: piece } of chunks) {
          const gap = lines.slice(next - 1, Math.max(next - 1, span[0] - 1));
          expect(gap.join('').trim(), `${name} ${example}: lines between chunks`).toBe('');
          next = Math.max(next, span[1] + 1);
          rebuilt += piece;
          for (const block of structure.blocks) {
            if (block.kind !== 'code' && block.kind !== 'table') continue;
            const inside = (line: number): boolean => line >= block.from && line <= block.to;
            const whole = span[0] <= block.from && span[1] >= block.to;
            expect(whole || !(inside(span[0]) || inside(span[1])), `${name} ${example}: ${block.kind} is torn`).toBe(
              true,
            );
          }
        }
        expect(
          lines
            .slice(next - 1)
            .join('')
            .trim(),
          `${name} ${example}: tail`,
        ).toBe('');
        const solid = (s: string): string => s.replace(/\s+/g, '');
        expect(solid(rebuilt), `${name} ${example}`).toBe(solid(text));
      }
    }
  });

  test.skipIf(!file)('code blocks and tables are seen where the specification sees them', () => {
    const examples = JSON.parse(readFileSync(file ?? '', 'utf8')) as Example[];
    for (const { example, markdown, html } of examples) {
      const { blocks } = parseStructure(markdown.replaceAll('→', '\t'));
      const top = (kind: string): number => blocks.filter((block) => block.kind === kind).length;
      // Only blocks at the top level: what stands in quotes and lists stays whole with them.
      const outer = html.replace(/<(blockquote|ul|ol|section)[\s\S]*?<\/\1>/g, '');
      if (/<(blockquote|ul|ol|section)/.test(html)) continue;
      expect(top('code'), `example ${example}: ${markdown}`).toBe(outer.match(/<pre><code/g)?.length ?? 0);
      expect(top('heading'), `example ${example}: ${markdown}`).toBe(outer.match(/<h[1-6]>/g)?.length ?? 0);
    }
  });
});

test.skipIf(!sharedPath('eval', 'conformance', 'gitignore_cases.json'))('all .gitignore verdicts agree', () => {
  const cases = JSON.parse(readFileSync(sharedPath('eval', 'conformance', 'gitignore_cases.json') ?? '', 'utf8')) as {
    description: string;
    patterns: string | string[];
    paths: Record<string, 0 | 1>;
  }[];
  let verdicts = 0;
  const wrong: string[] = [];
  for (const { description, patterns, paths } of cases) {
    const rules = ignoreRules([patterns].flat().join('\n'));
    for (const [path, ignored] of Object.entries(paths)) {
      verdicts++;
      const hides = path.endsWith('/') ? rules.hidesFolder(path.slice(0, -1)) : rules.hides(path);
      // Dot-files and node_modules are always hidden, whatever .indexignore says.
      const builtIn = path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');
      if (hides !== (ignored === 1 || builtIn)) wrong.push(`${description}: ${JSON.stringify(path)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(verdicts).toBe(265);
});
