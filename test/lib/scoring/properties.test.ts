import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Weights } from '../../../lib/scoring/config.js';
import { DIMENSIONS } from '../../../lib/scoring/part.js';
import { combine, composite, createScorer } from '../../../lib/scoring/scorer.js';
import { article, shippedSettings } from './shipped.js';

const scorer = createScorer(shippedSettings());

const words = fc.constantFrom(
  'kubernetes',
  'how to',
  'fixed in',
  'the',
  'recipe',
  'sécurité',
  'jak',
  '## Steps',
  '- item',
  '```',
  '1.2.3',
  'CVE-2026-1234',
  '![x](y.png)',
  '[a](https://b.example)',
  '<p>',
  '&amp;',
  '🎉',
  '中文',
  '\n',
  '\n\n',
  '#tag',
);
const text = fc.oneof(
  fc.string({ maxLength: 300, unit: 'grapheme' }),
  fc.array(words, { maxLength: 200 }).map((w) => w.join(' ')),
);
const anyArticle = fc
  .record({
    title: text,
    body: fc.option(text),
    tags: fc.array(fc.string(), { maxLength: 8 }),
    url: fc.option(fc.webUrl()),
  })
  .map(({ title, body, tags, url }) =>
    article(title, { tags, ...(body === null ? {} : { markdown: body }), ...(url === null ? {} : { url }) }),
  );
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const values = fc.record({ relevance: unit, actionability: unit, depth: unit, authority: unit });
const anyWeights = fc
  .tuple(fc.nat(100), fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 100 }))
  .map((w): Weights => {
    const sum = w.reduce((a, b) => a + b, 0);
    return { relevance: w[0] / sum, actionability: w[1] / sum, depth: w[2] / sum, authority: w[3] / sum };
  });

describe('scoring, whatever the input', () => {
  it('stays within 0..1, with evidence for every part', () => {
    fc.assert(
      fc.property(anyArticle, (item) => {
        const { scores } = scorer.score(item);
        for (const dimension of DIMENSIONS) {
          expect(scores[dimension]).toBeGreaterThanOrEqual(0);
          expect(scores[dimension]).toBeLessThanOrEqual(1);
          expect(scores.evidence[dimension].length).toBeGreaterThan(0);
        }
        expect(scores.composite).toBeGreaterThanOrEqual(0);
        expect(scores.composite).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same bytes for the same item, also from another scorer', () => {
    const other = createScorer(shippedSettings());
    fc.assert(
      fc.property(anyArticle, (item) => {
        expect(JSON.stringify(other.score(item))).toBe(JSON.stringify(scorer.score(structuredClone(item))));
      }),
      { numRuns: 100 },
    );
  });

  it('never finds more depth because of tags', () => {
    const tag = fc.constantFrom('security', 'rust', 'kubernetes', 'tutorial', 'how to', 'x');
    fc.assert(
      fc.property(anyArticle, fc.array(tag, { minLength: 1, maxLength: 40 }), (item, tags) => {
        const more = { ...item, tags: [...item.tags, ...tags] };
        expect(scorer.score(more).scores.depth).toBe(scorer.score(item).scores.depth);
      }),
      { numRuns: 200 },
    );
  });

  it('has a composite that is monotone in each part, up to the last digit', () => {
    fc.assert(
      fc.property(values, anyWeights, fc.constantFrom(...DIMENSIONS), unit, (parts, weights, dimension, more) => {
        const higher = { ...parts, [dimension]: Math.max(parts[dimension], more) };
        expect(composite(higher, weights)).toBeGreaterThanOrEqual(composite(parts, weights));
      }),
    );
  });

  it('refuses a part that is not a number', () => {
    const good = { value: 0.5, evidence: [] };
    for (const dimension of DIMENSIONS) {
      const parts = {
        relevance: good,
        actionability: good,
        depth: good,
        authority: good,
        [dimension]: { value: Number.NaN, evidence: [] },
      };
      expect(() => combine(parts, scorer.weights())).toThrowError(new RegExp(`${dimension} score is not a number`));
    }
  });
});

describe('scoring, in linear time', () => {
  const hostile: Record<string, string> = {
    'a megabyte of prose': 'the database index is slow and the query planner knows it. '.repeat(17_000),
    'open brackets': '[a](('.repeat(200_000),
    'unclosed tags': '<a href='.repeat(125_000),
    'one long word': 'x'.repeat(1_000_000),
    'back ticks': '`'.repeat(1_000_000),
    'link texts': '![['.repeat(330_000),
    dots: 'a.'.repeat(500_000),
    comments: '<!-- '.repeat(200_000),
  };
  for (const [name, body] of Object.entries(hostile)) {
    it(`${name} takes less than two seconds`, () => {
      const started = performance.now();
      const { scores } = scorer.score(article('Title', { markdown: body }));
      expect(performance.now() - started).toBeLessThan(2000);
      expect(scores.composite).toBeLessThanOrEqual(1);
    });
  }
});
