import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import { stem } from '../../../lib/query/words.js';
import { plainStems, TermsByWorth } from '../../../lib/ranking/leading.js';

const CHUNKS = 50_000;
const worth = (count: number): number => Math.log((CHUNKS - count + 0.5) / (count + 0.5));

function terms(text: string, counts: Record<string, number>, prefix = false): TermsByWorth {
  const stems = new Map(Object.entries(counts).map(([word, count]) => [stem(word), count]));
  return new TermsByWorth(parseQuery(text, { prefix }), { chunks: CHUNKS, averageWords: 100, counts: stems });
}

const leading = (found: TermsByWorth, count: number): string[] => found.split(count).leading.map((term) => term.source);

describe('terms by worth', () => {
  test('the rarest lead until a few hundred chunks hold them', () => {
    const found = terms('python list heapq sort', { sort: 2_000, list: 9_000, python: 12_000, heapq: 12 });
    expect(leading(found, found.atFirst())).toEqual(['heapq', 'sort']);
    expect(found.split(2).following.map((term) => term.source)).toEqual(['list', 'python']);
  });
  test('words that the collection hardly holds all lead', () => {
    const found = terms('heapq bisect', { heapq: 12, bisect: 15 });
    expect(found.atFirst()).toBe(2);
  });
  test('as many lead as are needed to reach a score', () => {
    const found = terms('python list heapq sort', { sort: 2_000, list: 9_000, python: 12_000, heapq: 12 });
    const [python, list] = [1.3 * worth(12_000), 1.3 * worth(9_000)];
    expect(found.toReach(0)).toBe(4);
    expect(found.toReach(python - 0.01)).toBe(4);
    expect(found.toReach(python + 0.01)).toBe(3);
    expect(found.toReach(python + list + 0.01)).toBe(2);
    expect(found.toReach(1_000)).toBe(0);
  });
  test('a word said twice is worth twice', () => {
    expect(leading(terms('rare common common', { rare: 9_000, common: 12_000 }), 1)).toEqual(['common']);
  });
  test('identifiers, the unfinished last word and scripts without spaces pass for rare', () => {
    expect(leading(terms('list DEC-0054', { list: 20_000 }), 1)).toEqual(['DEC-0054']);
    expect(leading(terms('list 索引', { list: 20_000 }), 1)).toEqual(['索引']);
    expect(leading(terms('list py', { list: 20_000, py: 30_000 }, true), 1)).toEqual(['py']);
  });
  test('the stems to look up are those of plain words', () => {
    expect(plainStems(parseQuery('sorting DEC-0054 lists'))).toEqual(['sort', 'list']);
  });
});
