/** Nearly equal texts meet in a band and are similar; other texts are not. */
import { describe, expect, it } from 'vitest';
import { bandsOf, SAME_STORY, shinglesOf, similarity } from '../../../lib/identity/near.js';

/** Repeatable words, Zipf-like. */
function text(seed: number, length: number): string[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${Math.floor(2000 * (state / 2 ** 32) ** 2)}`;
  });
}

const edited = (words: readonly string[], every: number) =>
  words.map((word, index) => (index % every === 0 ? `${word}x` : word));
const html = (words: readonly string[]) => `<p>${words.join(' ')}</p>`;

describe('near', () => {
  it('finds a text that was framed and lightly edited', () => {
    let met = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const words = text(seed, 300);
      const copy = shinglesOf(html(['First', 'published', 'elsewhere', ...edited(words, 40), 'Read', 'more']));
      const original = shinglesOf(html(words));
      expect(similarity(original, copy)).toBeGreaterThan(SAME_STORY);
      const bands = new Set(bandsOf(original));
      if (bandsOf(copy).some((band) => bands.has(band))) met++;
    }
    expect(met).toBeGreaterThanOrEqual(48);
  });

  it('keeps different texts of one vocabulary apart', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const [a, b] = [shinglesOf(html(text(seed, 300))), shinglesOf(html(text(seed + 1000, 300)))];
      expect(similarity(a, b)).toBeLessThan(0.1);
      expect(bandsOf(a).filter((band) => bandsOf(b).includes(band))).toEqual([]);
    }
  });

  it('says nothing of short texts', () => {
    expect(bandsOf(shinglesOf('<p>Photo of the day: a very nice boat.</p>'))).toEqual([]);
    expect(similarity(shinglesOf('short'), shinglesOf('short'))).toBe(0);
  });
});
