import { describe, expect, it } from 'vitest';
import { createScorer } from '../../../lib/scoring/scorer.js';
import { article, shippedSettings } from './shipped.js';

const scorer = createScorer(shippedSettings());

describe('createScorer', () => {
  it('is neutral, and says so, where there is nothing to judge', () => {
    const { scores, domain } = scorer.score(article('🎉🎉🎉'));
    expect(scores).toMatchObject({
      relevance: 0.42,
      actionability: 0.42,
      depth: 0.42,
      authority: 0.5,
      composite: 0.432,
    });
    for (const cues of Object.values(scores.evidence)) expect(cues.map((c) => c.cue).join()).toMatch(/neutral/);
    expect(domain.domain).toBe('other');
  });
});
