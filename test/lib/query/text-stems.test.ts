import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexTerms } from '../../../lib/query/index-terms.js';
import { textStems } from '../../../lib/query/text-stems.js';
import { stem, words } from '../../../lib/query/words.js';

test('the short way for ASCII gives what the index holds', () => {
  const pieces = fc.constantFrom(
    'foo',
    'Bar',
    'XML',
    'Http',
    '3D',
    'a',
    'B',
    '9',
    ' ',
    '_',
    '-',
    'C++',
    'c#',
    '#tag',
    '\n',
    'running',
    'iPhone',
  );
  const text = fc.oneof(
    fc.array(pieces).map((list) => list.join('')),
    fc.string({ unit: 'binary-ascii' }),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (given) => {
      const extra = indexTerms(given);
      expect(textStems(given)).toEqual(words(`${given} ${extra}`).map(stem));
    }),
    { numRuns: 5_000 },
  );
});
