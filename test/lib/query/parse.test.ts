import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import type { TextTerm } from '../../../lib/query/text-query.js';

const show = (terms: readonly TextTerm[]) =>
  terms.map((t) => `${t.kind}:${t.words.join('+')}${t.prefix ? '*' : ''}${t.weight > 1 ? `^${t.weight}` : ''}`);
const wanted = (text: string) => show(parseQuery(text).wanted);
const excluded = (text: string) => show(parseQuery(text).excluded);

describe('plain words', () => {
  test('stop words go while something else is left', () => {
    expect(wanted('what is the OAuth flow?')).toEqual(['word:oauth', 'word:flow']);
    expect(wanted('to be or to do')).toEqual(['word:to^2', 'word:be', 'word:or', 'word:do']);
    expect(wanted('is it not')).toEqual(['word:not']);
    expect(parseQuery('what is OAuth').words).toEqual(['what', 'is', 'oauth']);
  });
  test('a word said twice weighs two', () => {
    expect(wanted('memory of a memory')).toEqual(['word:memory^2']);
  });
  test('accents and case fold, NFD is composed', () => {
    expect(wanted('E\u0301TE\u0301 d\u00e9j\u00e0')).toEqual(['word:ete', 'word:deja']);
  });
  test('operators of the index language are words', () => {
    expect(wanted('NEAR( rabbit')).toEqual(['word:near', 'word:rabbit']);
    expect(wanted('AND')).toEqual(['word:and']);
    expect(wanted('a* OR text:b')).toEqual(['identifier:text+b']);
  });
  test.each(['', '   ', '"', '*', '()', '""', '- -', '\0', '…'])('nothing to look for in %j', (text) => {
    expect(parseQuery(text).wanted).toEqual([]);
  });
});

describe('identifiers', () => {
  test.each([
    ['DEC-0054', ['identifier:dec+0054']],
    ['2026.4.10', ['identifier:2026+4+10']],
    ['src/main.py', ['identifier:src+main+py']],
    ['--incremental', ['word:incremental']],
    ['get_user_id', ['identifier:get+user+id']],
    ['std::vector', ['identifier:std+vector']],
    ['C++', ['word:cplusplus', 'word:c']],
    ['C#', ['word:csharp', 'word:c']],
    ['parseFrontmatter()', ['word:parsefrontmatter', 'identifier:parse+frontmatter']],
    ['XMLHttpRequest', ['word:xmlhttprequest', 'identifier:xml+http+request']],
    ["the user's guide", ['word:user', 'word:guide']],
  ])('%s', (text, terms) => {
    expect(wanted(text)).toEqual(terms);
  });
  test('a hyphenated compound of words also counts by its parts', () => {
    expect(wanted('multi-agent')).toEqual(['identifier:multi+agent', 'word:multi', 'word:agent']);
  });
});

describe('phrases and exclusions', () => {
  test('quotes require adjacency', () => {
    expect(wanted('"2026.4.10" notes')).toEqual(['phrase:2026+4+10', 'word:notes']);
    expect(wanted('“time sharing”')).toEqual(['phrase:time+sharing']);
  });
  test('in prose quotes mark a way of speaking and demand nothing', () => {
    const terms = parseQuery(
      'articles on text formatting systems including "page layout" programs such as scribe and bravo',
    ).wanted;
    expect(terms.filter((t) => t.kind === 'phrase')).toEqual([]);
    expect(show(terms)).toEqual(expect.arrayContaining(['identifier:page+layout', 'word:page', 'word:layout']));
  });
  test('a leading minus excludes, a dash inside or alone does not', () => {
    expect(excluded('memory -sports')).toEqual(['phrase:sports']);
    expect(excluded('-"team sports" memory')).toEqual(['phrase:team+sports']);
    expect(excluded('a - b well-known --flag')).toEqual([]);
    expect(wanted('-sports')).toEqual([]);
  });
  test('an excluded compound goes out whole only', () => {
    expect(excluded('x -multi-agent -C++')).toEqual(['phrase:multi+agent', 'word:cplusplus']);
  });
});

describe('scripts without spaces', () => {
  test('a run becomes adjacent pairs of characters', () => {
    expect(wanted('検索')).toEqual(['cjk:検索']);
    expect(wanted('全文検索')).toEqual(['cjk:全文+文検+検索']);
    expect(wanted('"全文検索"')).toEqual(['phrase:全文+文検+検索']);
  });
  test('a lone character is the start of a pair', () => {
    expect(wanted('索')).toEqual(['cjk:索*']);
  });
  test('a sentence also counts by its pairs', () => {
    expect(wanted('数据库备份策略')).toContain('cjk:备份');
  });
  test('Latin text glued to it is a word of its own', () => {
    expect(wanted('使用API接口')).toEqual(['cjk:使用', 'cjk:接口', 'word:api']);
  });
});

test('emoji are words', () => {
  expect(wanted('🚀 launch')).toEqual(['word:emoji1f680', 'word:launch']);
});

test('the last word may be a prefix, unless a space follows', () => {
  expect(show(parseQuery('vector sea', { prefix: true }).wanted)).toEqual(['word:vector', 'word:sea*']);
  expect(show(parseQuery('vector sea ', { prefix: true }).wanted)).toEqual(['word:vector', 'word:sea']);
});

test('a pasted page is cut to its most repeated terms', () => {
  const page = Array.from({ length: 3000 }, (_, i) => `word${i % 400} topic`).join(' ');
  const terms = parseQuery(page).wanted;
  expect(terms.length).toBeLessThanOrEqual(48);
  expect(terms[0]?.words).toEqual(['word0']);
  expect(terms.some((t) => t.words[0] === 'topic')).toBe(true);
});

test('any string parses, to words only', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          '-',
          '*',
          '(',
          ')',
          ':',
          'NEAR',
          'AND',
          'OR',
          'NOT',
          '{',
          '}',
          '^',
          "'",
          ';',
          ' ',
          'a',
          '\ud800',
          '\0',
        ),
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const query = parseQuery(text);
      for (const term of [...query.wanted, ...query.excluded]) {
        expect(term.words.length).toBeGreaterThan(0);
        for (const word of term.words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]+$/u);
      }
    }),
    { numRuns: 3000 },
  );
});
