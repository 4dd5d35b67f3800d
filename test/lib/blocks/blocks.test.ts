import { expect, test } from 'vitest';
import { blockBudget, notCachedBy } from '../../../lib/blocks/budget.js';
import { FORMATS, MAX_BREAKPOINTS, messages } from '../../../lib/blocks/render.js';

const block = (name: string, ttlHours: number) => ({ name, text: `text of ${name}\n\n`, ttlHours });

test('formats are what their readers take', () => {
  const blocks = [block('a', 24), block('b', 2)];
  expect(FORMATS.markdown(blocks)).toBe('text of a\n\ntext of b\n');
  expect(FORMATS.xml(blocks)).toBe('<block name="a">\ntext of a\n</block>\n<block name="b">\ntext of b\n</block>\n');
  expect(FORMATS.prefix(blocks).startsWith(FORMATS.prefix(blocks.slice(0, 1)))).toBe(true);
  expect(JSON.parse(FORMATS.messages(blocks))).toEqual(messages(blocks));
});

test('a breakpoint closes each group of one term, at most four, the last block always', () => {
  const marked = (terms: readonly number[]): number[] => {
    const [message] = messages(terms.map((hours, i) => block(`b${i}`, hours)));
    return (message?.content ?? []).flatMap(({ cache_control: mark }, i) => (mark ? [i] : []));
  };
  expect(marked([24, 24, 12])).toEqual([1, 2]);
  expect(marked([9, 8, 7, 6, 5, 4])).toEqual([0, 1, 2, 5]);
  expect(marked([9, 8, 7, 6, 5, 4])).toHaveLength(MAX_BREAKPOINTS);
  const [message] = messages([block('long', 24), block('short', 0.25)]);
  expect(message?.content.map(({ cache_control: mark }) => mark?.ttl)).toEqual(['1h', '5m']);
  expect(messages([])).toEqual([]);
});

test('an overrun names what to leave out: the shortest-lived first', () => {
  const plan = { total: 8000, system: 1500, blocks: 3000, search: 2000, conversation: 1500 };
  const sized = [
    { name: 'long', tokens: 1000, ttlHours: 168 },
    { name: 'middle', tokens: 1500, ttlHours: 24 },
    { name: 'short', tokens: 1800, ttlHours: 12 },
  ];
  expect(blockBudget(plan, sized)).toEqual({ tokens: 4300, allowed: 3000, over: 1300, trim: ['short'] });
  expect(blockBudget(plan, sized.slice(0, 2))).toMatchObject({ over: 0, trim: [] });
});

test('what is too short to be cached is said for each provider', () => {
  expect(notCachedBy(1500)).toEqual([expect.stringContaining('4096')]);
  expect(notCachedBy(100)).toHaveLength(5);
  expect(notCachedBy(5000)).toEqual([]);
});
