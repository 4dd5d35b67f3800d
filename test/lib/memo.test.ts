import { describe, expect, it } from 'vitest';
import { memoised } from '../../lib/memo.js';

describe('memoised', () => {
  const text = (letter: string): string => letter.repeat(300);

  it('works a long text out once, a short one every time', () => {
    const asked: string[] = [];
    const length = memoised((given) => {
      asked.push(given);
      return given.length;
    });
    expect([length(text('a')), length(text('a')), length('short'), length('short')]).toEqual([300, 300, 5, 5]);
    expect(asked).toEqual([text('a'), 'short', 'short']);
  });

  it('forgets the oldest beyond its bound, and never remembers what it may not keep', () => {
    const asked: string[] = [];
    const first = memoised(
      (given) => {
        asked.push(given[0] ?? '');
        return given[0];
      },
      { maxChars: 700, keep: (letter) => letter !== 'x' },
    );
    for (const letter of ['a', 'b', 'c', 'c', 'b', 'a', 'x', 'x']) first(text(letter));
    expect(asked.join('')).toBe('abcaxx');
  });
});
