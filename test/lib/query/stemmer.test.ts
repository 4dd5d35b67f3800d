import { expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import { ENGLISH, LANGUAGES, stemmerFor } from '../../../lib/query/stemmer.js';
import { textStems } from '../../../lib/query/text-stems.js';
import { fold } from '../../../lib/query/words.js';
import { analyse, lexicalScores, occurrences } from '../../../lib/ranking/lexical.js';

test.each([
  ['french', 'chevaux', 'cheval'],
  ['french', 'développements', 'développer'],
  ['german', 'Häuser', 'Haus'],
  ['spanish', 'canciones', 'canción'],
  ['russian', 'книги', 'книга'],
  ['english', 'rotations', 'rotate'],
])('%s: %s and %s are one word', async (language, one, other) => {
  const { stem } = await stemmerFor(language);
  expect(stem(fold(one))).toBe(stem(fold(other)));
});

test('`simple` leaves words as they are, and numbers are words of no language', async () => {
  const [simple, french] = [await stemmerFor('simple'), await stemmerFor('french')];
  expect(simple.stem('chevaux')).toBe('chevaux');
  expect(french.stem('0054')).toBe('0054');
  expect(french.stem('v2es')).toBe('v2es');
});

test('every language loads, and stems anything to something', async () => {
  for (const language of LANGUAGES) {
    const stemmer = await stemmerFor(language);
    expect(stemmer.language).toBe(language);
    for (const word of ['word', 'été', 'слово', '漢字', 'ⅷⅷⅷ', 'ααα', 'a'.repeat(2000)])
      expect(stemmer.stem(fold(word)).length).toBeGreaterThan(0);
  }
});

test('an unknown language says which there are', async () => {
  await expect(stemmerFor('klingon')).rejects.toMatchObject({
    code: 'language-unknown',
    remedy: expect.stringContaining('french'),
  });
});

test('texts taken apart in one language are not given for another', async () => {
  const french = await stemmerFor('french');
  const text = 'Les chevaux galopent.';
  expect(textStems(text, ENGLISH)).toContain('chevaux');
  expect(textStems(text, french)).toContain('cheval');
  expect(textStems(text, ENGLISH)).toContain('chevaux');
});

test('ranking in process counts what the index found', async () => {
  const french = await stemmerFor('french');
  const query = parseQuery('cheval', { stemmer: french });
  const pool = ['Les chevaux galopent.', 'Le pain lève.'].map((text) => analyse([{ text, weight: 1 }], french));
  const [first = 0, second = 0] = lexicalScores(query, pool, { chunks: 2, averageWords: 3, counts: new Map() });
  expect(first).toBeGreaterThan(0);
  expect(second).toBe(0);
  const [term] = query.wanted;
  expect(term && pool[0] && occurrences(pool[0], term)).toBe(1);
});
