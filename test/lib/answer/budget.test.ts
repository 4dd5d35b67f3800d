import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyBudget, type BudgetRules, truncate } from '../../../lib/answer/budget.js';
import { byCharacters, exactTokens } from '../../../lib/answer/tokens.js';
import type { Hit } from '../../../runner/items.js';

const hit = (path: string, text: string, i = 0): Hit => ({
  chunkId: i,
  path,
  section: '',
  text,
  lines: [1, 1],
  meta: { title: path, tags: [] },
  score: 1,
  bm25Rank: 1,
  vecRank: null,
});
const RULES: BudgetRules = { maxTokens: 10, limit: 10, perNote: 3, firstTooLong: 'truncate' };
const apply = (texts: readonly string[], rules: Partial<BudgetRules> = {}) =>
  applyBudget(
    texts.map((text, i) => hit(`n${i}.md`, text, i)),
    { ...RULES, ...rules },
    byCharacters,
  );

describe('budget', () => {
  test('takes hits in order while they fit, skips what does not, still considers the rest', () => {
    const { hits, report } = apply(['a'.repeat(20), 'b'.repeat(30), 'c'.repeat(20)]);
    expect(hits.map((h) => h.text[0])).toEqual(['a', 'c']);
    expect(report).toEqual({
      max_tokens: 10,
      used: 10,
      kept: 2,
      truncated: false,
      cut: [{ file_path: 'n1.md', section: '', tokens: 8, reason: 'too-long' }],
      beyond_limit: 0,
    });
  });
  test('the first too long is truncated, never dropped', () => {
    const { hits, report } = apply(['x'.repeat(100), 'y']);
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ text: `${'x'.repeat(39)}…`, truncated: true });
    expect(report).toMatchObject({ used: 10, truncated: true });
  });
  test('unless the pipeline says skip', () => {
    expect(apply(['x'.repeat(100), 'y'], { firstTooLong: 'skip' }).hits.map((h) => h.text)).toEqual(['y']);
  });
  test('a note has at most so many chunks', () => {
    const hits = ['1', '2', '3'].map((text, i) => hit('same.md', text, i));
    const { report, ...rest } = applyBudget([...hits, hit('other.md', '4')], { ...RULES, perNote: 2 }, byCharacters);
    expect(rest.hits.map((h) => h.text)).toEqual(['1', '2', '4']);
    expect(report.cut).toEqual([{ file_path: 'same.md', section: '', tokens: 1, reason: 'per-note' }]);
  });
  test('stops at the number of results wanted', () => {
    expect(apply(['a', 'b', 'c'], { limit: 2 }).report).toMatchObject({ kept: 2, beyond_limit: 1, cut: [] });
  });
  test('never over budget, never half a character, first hit always there', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (all, maxTokens) => {
        const { hits, report } = apply(all, { maxTokens });
        expect(hits.reduce((sum, h) => sum + Math.ceil(h.text.length / 4), 0)).toBe(report.used);
        expect(report.used).toBeLessThanOrEqual(maxTokens);
        expect(hits[0]?.chunkId).toBe(0);
        expect(hits.every((h) => !/\p{Surrogate}/u.test(h.text))).toBe(true);
      }),
    );
  });
});

test('the exact tokenizer keeps its budget too, also inside emoji and CJK', async () => {
  const tokens = await exactTokens();
  const text = 'A family 👨‍👩‍👧‍👦 reads 全文検索 and naïve café notes. '.repeat(4);
  for (let max = 1; max < tokens.count(text); max += 3) {
    const short = truncate(text, max, tokens);
    expect(tokens.count(short)).toBeLessThanOrEqual(max);
    expect(short.endsWith('…')).toBe(true);
    expect(text.startsWith(short.slice(0, -1))).toBe(true);
  }
});
