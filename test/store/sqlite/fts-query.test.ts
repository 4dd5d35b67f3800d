import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexTerms } from '../../../lib/query/index-terms.js';
import { parseQuery } from '../../../lib/query/parse.js';
import { compileLed, compileMatch, type Match } from '../../../store/sqlite/fts-query.js';

const NOTES = {
  decision: 'See DEC-0054 for the decision.',
  apart: '0054 was a DEC machine; 2026 had 4 of them and 10 more',
  version: 'Released 2026.4.10 with fixes',
  sports: 'a memory of sports',
  memory: 'multi-agent memory',
  cpp: 'Modern C++ templates',
  plainC: 'The C language',
  main: 'Edit src/main.py first',
  names: 'call parseFrontmatter() or get_user_id',
  chinese: '使用API接口进行全文检索和备份',
  korean: '한국어검색을 지원한다',
  accent: 'Un café à Orléans',
};

function open() {
  const db = new Database(':memory:');
  db.exec(
    "CREATE VIRTUAL TABLE t USING fts5(name UNINDEXED, text, terms, tokenize = 'porter unicode61 remove_diacritics 2')",
  );
  const insert = db.prepare('INSERT INTO t VALUES (?, ?, ?)');
  for (const [name, text] of Object.entries(NOTES)) insert.run(name, text.normalize('NFC'), indexTerms(text));
  const select = db.prepare<[string], { name: string }>('SELECT name FROM t WHERE t MATCH ? ORDER BY bm25(t)');
  const run = ({ expression }: Match) => select.all(expression).map((row) => row.name);
  const find = (text: string) => {
    const match = compileMatch(parseQuery(text));
    return match === undefined ? undefined : run(match);
  };
  return { find, run };
}

describe('compiled against FTS5', () => {
  const { find, run } = open();
  test('a hyphenated id matches as adjacent terms', () => {
    expect(find('DEC-0054')).toEqual(['decision']);
  });
  test('a dotted version, bare and quoted', () => {
    expect(find('2026.4.10')?.[0]).toBe('version');
    expect(find('"2026.4.10"')).toEqual(['version']);
  });
  test('a leading minus excludes; only exclusions ask for nothing', () => {
    expect(find('memory')?.sort()).toEqual(['memory', 'sports']);
    expect(find('memory -sports')).toEqual(['memory']);
    expect(find('-sports')).toBeUndefined();
  });
  test('C++ is not C', () => {
    expect(find('C++')?.[0]).toBe('cpp');
    expect(find('c++ -"the c"')).toEqual(['cpp']);
  });
  test('paths and names', () => {
    expect(find('src/main.py')).toEqual(['main']);
    expect(find('parse frontmatter')).toEqual(['names']);
    expect(find('getUserId')).toEqual(['names']);
  });
  test('substrings of runs without spaces, and Latin glued to them', () => {
    for (const query of ['全文', '检索', '备份', '索', '份', 'API', '接口进行'])
      expect(find(query)).toEqual(['chinese']);
    expect(find('검색')).toEqual(['korean']);
    expect(find('文检索全')).toEqual([]);
  });
  test('NFD asked, NFC stored, accents optional', () => {
    expect(find('cafe\u0301')).toEqual(['accent']);
    expect(find('orleans')).toEqual(['accent']);
  });
  test('leading terms must stand there; the others add as much as before', () => {
    const { wanted, excluded } = parseQuery('memory sports memory -agent');
    const [memory, sports] = [wanted.slice(0, 1), wanted.slice(1)];
    expect(compileLed(memory, sports, excluded)).toEqual({
      expression: '(("memory") AND ("memory" OR "memory" OR "memory" OR "sports" OR "sports")) NOT ("agent")',
      scale: 2,
    });
    expect(run(compileLed(sports, memory, excluded))).toEqual(['sports']);
  });
  test('required phrases join with the rest', () => {
    expect(compileMatch(parseQuery('"a b" c c -d'))).toEqual({
      expression: '(("a b") AND ("a b" OR "c" OR "c")) NOT ("d")',
      scale: 1,
    });
  });
});

test('10,000 hostile queries: FTS5 accepts every compiled one', () => {
  const { find, run } = open();
  const parts = fc.constantFrom(
    '"',
    '""',
    '-',
    '*',
    '(',
    ')',
    ':',
    '^',
    '+',
    'NEAR(',
    'AND',
    'OR',
    'NOT',
    '{a b}',
    "'",
    ';',
    '--',
    ' ',
    'a',
    'C++',
    '\ud800',
    '\0',
    '全',
    '👍🏽',
    'é',
  );
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(parts, { maxLength: 20 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const all = find(text) ?? [];
      const { wanted, excluded } = parseQuery(text);
      if (wanted.length < 2 || wanted.some(({ kind }) => kind === 'phrase')) return;
      const led = run(compileLed(wanted.slice(0, 1), wanted.slice(1), excluded));
      expect(all).toEqual(expect.arrayContaining(led));
    }),
    { numRuns: 10_000 },
  );
});
