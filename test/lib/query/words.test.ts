import { expect, test } from 'vitest';
import { indexTerms } from '../../../lib/query/index-terms.js';
import { stem, words } from '../../../lib/query/words.js';

test('words fold case and accents and split where unicode61 does', () => {
  expect(words('Été de\u0301jà foo_bar, C++ don’t')).toEqual(['ete', 'deja', 'foo', 'bar', 'c', 'don', 't']);
});
test('Hangul and voiced kana survive folding, also when they came decomposed', () => {
  expect(words('한국어 ガ'.normalize('NFD'))).toEqual(['한국어', 'ガ']);
});
test('stems are those of FTS5 porter', () => {
  expect(['running', 'connections', 'is', 'naïve', 'oauth'].map(stem)).toEqual([
    'run',
    'connect',
    'is',
    'naïve',
    'oauth',
  ]);
});
test('extra terms: name parts, signed names, pairs, glued Latin, emoji', () => {
  expect(indexTerms('parseFrontmatter in XMLHttpRequest')).toBe('parse frontmatter xml http request');
  expect(indexTerms('C++ and C# but not a++b or issue #12')).toBe('cplusplus csharp');
  expect(indexTerms('使用API接口')).toBe('使用 用 接口 口 api');
  expect(indexTerms('ship it 🚀')).toBe('emoji1f680');
  expect(indexTerms('OAuth on iPhone is plain prose.')).toBe('');
});
