import { describe, expect, it } from 'vitest';
import { learnInterests } from '../../../lib/scoring/learn.js';
import { auc, type JudgedItem, scoreReport } from '../../../lib/scoring/report.js';
import { balancedAccuracy, type Example, MIN_GAIN, tune } from '../../../lib/scoring/tune.js';
import { shippedSettings } from './shipped.js';

const { authority, scoring } = shippedSettings();
const now = {
  weights: scoring.presets['default'] ?? { relevance: 1, actionability: 0, depth: 0, authority: 0 },
  write: 0.55,
};

/** Reproducible pseudo-random numbers in 0..1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function examples(count: number, isKept: (parts: Example['parts'], noise: number) => boolean): Example[] {
  const next = random(7);
  return Array.from({ length: count }, (_, at) => {
    const parts = { relevance: next(), actionability: next(), depth: next(), authority: next() };
    return { id: String(at), source: at % 3 === 0 ? 'good blog' : 'other', parts, kept: isKept(parts, next()) };
  });
}

describe('tune', () => {
  it('refuses with too few or one-sided labels, and says what is missing', () => {
    expect(
      tune(
        examples(39, (p) => p.depth > 0.5),
        now,
        authority,
      ),
    ).toEqual({ refused: expect.stringMatching(/39 judgements .* 40 with at least 15/) });
    expect(
      tune(
        examples(100, () => true),
        now,
        authority,
      ),
    ).toHaveProperty('refused');
  });

  it('finds what the user goes by, with a gain on items it did not see', () => {
    const depthLover = examples(300, ({ depth }, noise) => (noise < 0.05 ? depth <= 0.6 : depth > 0.6));
    const proposal = tune(depthLover, now, authority);
    if ('refused' in proposal) throw new Error(proposal.refused);
    expect(proposal.rules.weights.depth).toBeGreaterThan(now.weights.depth + 0.1);
    expect(proposal.expected).toBeGreaterThan(proposal.now + 0.1);
    expect(balancedAccuracy(depthLover, proposal.rules)).toBeGreaterThan(balancedAccuracy(depthLover, now));
    expect(Object.values(proposal.rules.weights).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(tune(depthLover, now, authority)).toEqual(proposal);
  });

  it('promises nothing for judgements that follow chance', () => {
    const proposal = tune(
      examples(300, (_, noise) => noise > 0.5),
      now,
      authority,
    );
    if ('refused' in proposal) throw new Error(proposal.refused);
    expect(proposal.expected - proposal.now).toBeLessThan(MIN_GAIN + 0.05);
  });

  it('draws priors of sources towards what was kept of them', () => {
    const judged = examples(90, (_, noise) => noise > 0.5).map((e) => ({ ...e, kept: e.source === 'good blog' }));
    const proposal = tune(judged, now, authority);
    if ('refused' in proposal) throw new Error(proposal.refused);
    expect(proposal.feeds['good blog']).toBeGreaterThan(0.8);
    expect(proposal.feeds['other']).toBeLessThan(0.2);
  });
});

describe('report', () => {
  const item = (id: string, composite: number, kept: boolean, more: Partial<JudgedItem> = {}): JudgedItem => ({
    id,
    source: 'blog',
    parts: { relevance: composite, actionability: 0.5, depth: 1 - composite, authority: 0.5 },
    composite,
    kept,
    ...more,
  });

  it('counts bands, recall, domains, sources and what each dimension tells', () => {
    const items = [
      item('a', 0.8, true, { domain: 'web', userDomain: 'web' }),
      item('b', 0.7, false),
      item('c', 0.4, true, { domain: 'web', userDomain: 'data', source: 'wire' }),
      item('d', 0.1, false, { source: 'wire' }),
    ];
    const report = scoreReport(items, { write: 0.55, review: 0.3 });
    expect(report).toMatchObject({
      judged: 4,
      bands: { write: { items: 2, kept: 1, share: 0.5 }, review: { items: 1, kept: 1 }, skip: { items: 1, kept: 0 } },
      recall: 0.5,
      domains: { items: 2, kept: 1, share: 0.5 },
      sources: { blog: { items: 2, kept: 1 }, wire: { items: 2, kept: 1 } },
    });
    expect(report.dimensions.relevance.auc).toBe(0.75);
    expect(report.dimensions.depth.auc).toBe(0.25);
    expect(report.dimensions.authority.auc).toBe(0.5);
  });

  it('has nulls, not zeros, where nothing is known', () => {
    const report = scoreReport([], { write: 0.55, review: 0.3 });
    expect(report).toMatchObject({ recall: null, bands: { write: { share: null } }, domains: { share: null } });
    expect(auc([1], [])).toBeNull();
  });
});

describe('learn', () => {
  it('takes tags and title phrases that come back, and no filler', () => {
    const notes = [
      ...Array.from({ length: 12 }, (_, n) => ({ title: `Vector search note ${n}`, tags: ['ai/embeddings'] })),
      ...Array.from({ length: 3 }, (_, n) => ({ title: `Meeting ${n}`, tags: ['beekeeping'] })),
      { title: 'Once only', tags: ['rare'] },
    ];
    const learned = learnInterests(notes);
    const names = learned.map((i) => i.name);
    expect(names).toContain('vector search');
    expect(names).toContain('embeddings');
    expect(names).toContain('beekeeping');
    for (const filler of ['note', 'meeting', 'rare', 'vector', '1']) expect(names).not.toContain(filler);
    const weight = (name: string) => learned.find((i) => i.name === name)?.weight ?? 0;
    expect(weight('embeddings')).toBeGreaterThan(weight('beekeeping'));
  });
});
