import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBeir, readOwnQueries } from '../../../lib/eval/collection.js';
import { evaluate } from '../../../lib/eval/evaluate.js';
import { createGrep } from '../../../lib/eval/grep.js';
import { percentile, scoreRanking } from '../../../lib/eval/metrics.js';

describe('measures', () => {
  const judged = new Map([
    ['a', 1],
    ['b', 3],
    ['c', 0],
  ]);
  test('nDCG@10 with linear gain, reciprocal rank, hits, recall', () => {
    const scores = scoreRanking(['x', 'a', 'c', 'b'], judged);
    const ideal = 3 + 1 / Math.log2(3);
    expect(scores.ndcg10).toBeCloseTo((1 / Math.log2(3) + 3 / Math.log2(5)) / ideal, 12);
    expect(scores).toMatchObject({ mrr: 0.5, hit1: 0, hit5: 1, hit10: 1, recall100: 1 });
  });
  test('the best order scores 1, nothing scores 0', () => {
    expect(scoreRanking(['b', 'a'], judged).ndcg10).toBe(1);
    expect(scoreRanking([], judged)).toEqual({ ndcg10: 0, mrr: 0, hit1: 0, hit5: 0, hit10: 0, recall100: 0 });
  });
  test('percentiles by nearest rank', () => {
    expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(percentile([5, 1, 4, 2, 3], 0.95)).toBe(5);
    expect(percentile([], 0.5)).toBe(0);
  });
});

test('grep ranks by different words, then by occurrences', () => {
  const grep = createGrep([
    { id: 'often', text: 'token token token' },
    { id: 'both', text: 'Rotate the TOKEN' },
    { id: 'none', text: 'other' },
  ]);
  expect(grep('rotate token', 10)).toEqual(['both', 'often']);
});

test('evaluate scores and times each arm, and lists what was missed', async () => {
  let at = 0;
  const queries = [{ id: '1', text: 'q', relevant: new Map([['a.md', 1]]) }];
  const arms = [
    { name: 'good', rank: async () => ['a.md'] },
    { name: 'bad', rank: async () => ['b.md'] },
  ];
  const result = await evaluate('set', queries, arms, () => (at += 5));
  expect(result.arms['good']).toMatchObject({ ndcg10: 1, p50_ms: 5, p95_ms: 5 });
  expect(result.misses).toEqual([{ arm: 'bad', query: 'q', expected: ['a.md'], rank: null, instead: ['b.md'] }]);
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eval-'));
  const write = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), lines.join('\n'));
  test('a BEIR folder: judged queries only, a title the text holds is not repeated', () => {
    write(
      'corpus.jsonl',
      '{"_id":"1","title":"run","text":"def run(): pass"}',
      '{"_id":"2","title":"T","text":"body"}',
    );
    write('queries.jsonl', '{"_id":"q1","text":"how"}', '{"_id":"q2","text":"never judged"}');
    write('qrels.tsv', 'query-id\tcorpus-id\tscore', 'q1\t1\t2', 'q1\t2\t0');
    const set = readBeir(folder);
    expect(set.documents).toEqual([
      { id: '1', text: 'def run(): pass' },
      { id: '2', text: 'T\n\nbody' },
    ]);
    expect(set.queries).toEqual([{ id: 'q1', text: 'how', relevant: new Map([['1', 2]]) }]);
  });
  test('own questions, and the line of a bad one', () => {
    write('own.jsonl', '{"query":"a","expected":"a.md"}', '', '{"query":"b","expected":["b.md","c.md"]}');
    expect(readOwnQueries(join(folder, 'own.jsonl')).map((q) => [...q.relevant.keys()])).toEqual([
      ['a.md'],
      ['b.md', 'c.md'],
    ]);
    write('own.jsonl', '{"query":"a","expected":"a.md"}', '{"query":"","expected":[]}');
    expect(() => readOwnQueries(join(folder, 'own.jsonl'))).toThrowError(
      expect.objectContaining({ code: 'eval-set', line: 2 }),
    );
    expect(() => readBeir(join(folder, 'absent'))).toThrowError(expect.objectContaining({ code: 'eval-set' }));
  });
});
