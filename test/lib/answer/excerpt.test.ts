import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerpt } from '../../../lib/answer/excerpt.js';
import { parseQuery } from '../../../lib/query/parse.js';

const FILLER = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod '.repeat(8);
const cut = (text: string, query: string, length = 80) => excerpt(text, parseQuery(query), length);

test('centres on the densest match, between words, with ellipses', () => {
  const text = `${FILLER}the token once ${FILLER}rotate every token and key daily ${FILLER}`;
  const piece = cut(text, 'rotating tokens');
  expect(piece).toContain('rotate every token');
  expect(piece).toMatch(/^…\S.*\S…$/);
  expect(piece.length).toBeLessThanOrEqual(82);
  for (const word of piece.slice(1, -1).split(' ')) expect(text.split(/\s+/)).toContain(word);
});
test('the whole of a short text, on one line', () => {
  expect(cut('two\n\nlines', 'lines')).toBe('two lines');
});
test('without a match the beginning', () => {
  expect(cut(FILLER, 'absent')).toMatch(/^lorem ipsum .*…$/);
});
test('finds a run of characters without spaces', () => {
  expect(cut(`${'あ'.repeat(300)}全文検索${'い'.repeat(300)}`, '全文検索', 40)).toContain('全文検索');
});
test('any text and query: bounded, no half characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string(),
      fc.integer({ min: 1, max: 60 }),
      (text, query, length) => {
        const piece = cut(text, query, length);
        expect(piece.length).toBeLessThanOrEqual(length + 2);
        expect(piece).not.toMatch(/\p{Surrogate}|\n/u);
      },
    ),
  );
});
