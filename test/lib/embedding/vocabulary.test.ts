import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vocabularyFromBytes, vocabularyOf } from '../../../lib/embedding/vocabulary.js';

const token = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((t) => !/[\n\ud800-\udfff]/.test(t));

describe('vocabularyFromBytes', () => {
  it('answers like a map over the same tokens, and knows no others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(token, { minLength: 1, maxLength: 300 }), fc.array(token), (tokens, others) => {
        const [bytes, map] = [vocabularyFromBytes(new TextEncoder().encode(tokens.join('\n'))), vocabularyOf(tokens)];
        expect(bytes.size).toBe(tokens.length);
        for (const one of [...tokens, ...others]) expect(bytes.id(one)).toBe(map.id(one));
      }),
    );
  });

  it('knows neither the empty token nor one longer than any', () => {
    const vocabulary = vocabularyFromBytes(new TextEncoder().encode('[UNK]\nred'));
    expect([vocabulary.id('red'), vocabulary.id(''), vocabulary.id('r'.repeat(5000))]).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });
});
