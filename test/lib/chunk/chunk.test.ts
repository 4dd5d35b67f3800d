import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStructure } from '../../../lib/chunk/blocks.js';
import { type ChunkLimits, chunkByHeadings, chunkByParagraphs } from '../../../lib/chunk/chunk.js';
import { splitText } from '../../../lib/chunk/split.js';

const meta = { title: 'Note', tags: ['a', 'b'], type: 'note', domain: 'web' };
const LIMITS: ChunkLimits = { min: 30, max: 2000 };
const cut = (text: string, limits = LIMITS) => chunkByHeadings(parseStructure(text), 1, meta, limits);
const long = (n: number, word = 'word'): string => `${word} `.repeat(Math.ceil(n / (word.length + 1))).trim();

describe('sections', () => {
  test('begin at H2; the text before the first one is a chunk; lines are exact', () => {
    const text = `# Title\n\n${long(60)}\n\n## One\n\n${long(50)}\n\n### Sub\n\nmore\n\nTwo\n---\n${long(40)}\n`;
    expect(cut(text).map(({ section, lines }) => [section, lines])).toEqual([
      ['', [1, 3]],
      ['One', [5, 11]],
      ['Two', [13, 15]],
    ]);
  });

  test('carry the heading context and the file line of a body that starts later', () => {
    const [chunk] = chunkByHeadings(parseStructure(`## A\n\n${long(50)}\n`), 11, meta, LIMITS);
    expect(chunk).toMatchObject({ headingContext: 'Note\na b\nnote\nweb', lines: [11, 13], index: 0 });
  });

  test('too short for a chunk of their own join their neighbour', () => {
    const text = `## A\n\nx\n\n## B\n\n${long(60)}\n\n## C\n\ny\n`;
    const chunks = cut(text);
    expect(chunks.map((c) => c.lines)).toEqual([[1, 11]]);
    expect(chunks[0]?.text).toBe(text.trimEnd());
    expect(cut('tiny\n')).toEqual([]);
    expect(cut('')).toEqual([]);
  });

  test.each([
    ['a fence with ## in it', '```sh\n## not a heading\n```'],
    ['a longer closing fence', '````md\n```\n## inside\n```\n````'],
    ['tildes', '~~~\n## inside\n~~~'],
    ['an unclosed fence', '```\n## inside\n\n## and this'],
    ['a fence in a list', '- item\n\n  ```\n## not inside, ends the list?\n  ```'],
    ['a comment', '%%\n\n## inside\n\n%%'],
    ['display math', '$$\n\n## inside\n$$'],
    ['an HTML block', '<div>\n## inside\n</div>'],
    ['a quote', '> ## inside\n> text'],
  ])('do not begin inside %s', (name, block) => {
    const chunks = cut(`## Real\n\n${long(50)}\n\n${block}\n`);
    const sections = chunks.map((chunk) => chunk.section);
    expect(sections).toEqual(name.startsWith('a fence in a list') ? ['Real', 'not inside, ends the list?'] : ['Real']);
  });

  test('names are read without their markup', () => {
    const [chunk] = cut(`## **Bold** [[Note|alias]] [text](u) \`code\` ^id\n\n${long(40)}\n`);
    expect(chunk?.section).toBe('Bold alias text code');
  });
});

describe('above the limit', () => {
  test('a section is cut at H3, then between blocks, a heading staying with what follows', () => {
    const text = `## S\n\n${long(900)}\n\n### A\n\n${long(1500)}\n\n#### deep\n\n${long(1500)}\n\n### B\n\n${long(300)}\n`;
    const chunks = cut(text);
    expect(chunks.map((c) => c.text.split('\n')[0])).toEqual(['## S', '### A', '#### deep', '### B']);
    expect(new Set(chunks.map((c) => c.section))).toEqual(new Set(['S']));
  });

  test.each([
    ['code', `\`\`\`\n${'line of code\n\n'.repeat(400)}\`\`\``],
    ['a table', `| a | b |\n|---|---|\n${'| cell | cell |\n'.repeat(300)}`.trimEnd()],
    ['a callout', `> [!note] Title\n${'> text of a callout\n>\n'.repeat(200)}`.trimEnd()],
    ['math', `$$\n${'x = y\n'.repeat(600)}$$`],
  ])('%s stays whole', (_, block) => {
    const chunks = cut(`## S\n\n${long(1900)}\n\n${block}\n\n${long(1900)}\n`);
    const holding = chunks.filter((chunk) => chunk.text.includes(block));
    expect(holding).toHaveLength(1);
    expect(chunks.length).toBeGreaterThanOrEqual(3);
  });

  test('a list is cut between its items only', () => {
    const items = Array.from({ length: 40 }, (_, i) => `- item ${i} ${long(80)}\n\n  second paragraph ${i}`);
    const chunks = cut(`## S\n\n${items.join('\n')}\n`);
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) {
      expect(chunk.text.length).toBeLessThanOrEqual(2000);
      expect(chunk.text.replace('## S\n\n', '')).toMatch(/^- item/);
    }
  });

  test('40 kB without any heading: every word is in a chunk, lines are exact', () => {
    const words = Array.from({ length: 6000 }, (_, i) => `w${i}`);
    const text = words.join(' ').replace(/((?:\S+ ){40})/g, '$1\n');
    const chunks = cut(text);
    expect(chunks.flatMap((chunk) => chunk.text.split(/\s+/)).filter(Boolean)).toEqual(words);
    const lines = text.split('\n');
    for (const { text: piece, lines: span } of chunks)
      expect(lines.slice(span[0] - 1, span[1]).join('\n')).toContain(piece);
  });

  test('a block id stays with what it names', () => {
    const table = `| a | b |\n|---|---|\n${'| cell | cell |\n'.repeat(60)}`;
    const chunks = cut(`## S\n\n${long(1200)}\n\n${table}\n^the-table\n\n${long(1500)}\n`);
    expect(chunks.find((chunk) => chunk.text.includes('^the-table'))?.text).toContain('| cell |');
  });
});

test('pieces never tear a character apart, and together are the text', () => {
  const unit = fc.constantFrom('a', ' ', '\n', '. ', '😀', '👩‍👩‍👧', 'e\u0301', '漢', '。');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 400 }), fc.integer({ min: 20, max: 60 }), (units, max) => {
      const text = units.join('');
      const pieces = splitText(text, max);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      for (const { text: piece } of pieces) {
        expect(piece.length).toBeLessThanOrEqual(max);
        expect(piece).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
      }
    }),
  );
});

test('an edit changes the hash of its own section only; tags change none', () => {
  const text = `## A\n\n${long(50)}\n\n## B\n\n${long(60)}\n`;
  const [a, b] = cut(text);
  const [a2, b2] = cut(text.replace('## B\n\nword', '## B\n\nother'));
  expect(a2?.hash).toBe(a?.hash);
  expect(b2?.hash).not.toBe(b?.hash);
  const [tagged] = chunkByHeadings(parseStructure(text), 1, { ...meta, tags: ['new'] }, LIMITS);
  expect(tagged?.hash).toBe(a?.hash);
});

test('the team chunker packs paragraphs over headings, splits long ones, gives no empty chunk', () => {
  const text = `\n\n${long(600)}\n\n## A\n\n${long(600)}\n\n${long(600)}\n\n## B\n\n${long(4000)}\n`;
  const chunks = chunkByParagraphs(parseStructure(text), 1, meta, { min: 1, max: 1500 });
  expect(chunks.every((chunk) => chunk.text.trim() !== '' && chunk.text.length <= 1500)).toBe(true);
  expect(chunks[0]?.text).toContain('## A');
  const words = (s: string): string[] => s.split(/\s+/).filter(Boolean);
  expect(chunks.flatMap((chunk) => words(chunk.text))).toEqual(words(text));
});
