import { describe, expect, it } from 'vitest';
import { composite, createScorer, type Scorer } from '../../../lib/scoring/scorer.js';
import { makeItem, type Signal } from '../../../runner/items.js';
import { checkPipeline, loadPipeline } from '../../../runner/load.js';
import type { Settled } from '../../../runner/observe.js';
import { createResources } from '../../../runner/resources.js';
import { runPlan } from '../../../runner/run.js';
import type { AnyStage, StageRegistry } from '../../../runner/stage.js';
import { route } from '../../../stages/signal/route.js';
import { score } from '../../../stages/signal/score.js';
import { rowFor } from '../../../store/ledger-row.js';
import { DEFAULTS } from '../../../workspace/routing.js';
import { article, shippedSettings } from '../../lib/scoring/shipped.js';

const registry: StageRegistry = new Map([score, route].map((stage) => [stage.name, stage as AnyStage]));
const clock = { now: () => Date.parse('2026-05-01T00:00:00Z') };
const real = createScorer(shippedSettings());
const source = (steps: string) => ({
  file: 'test.yaml',
  text: `version: 1\nname: test\nsummary: test\nsteps:\n${steps}`,
});

async function run(scorer: Scorer, steps = '  - score: {}\n  - route: {}\n') {
  const settled: Settled[] = [];
  const { items, report } = await runPlan<'Signal'>(loadPipeline(source(steps), { registry }), {
    resources: createResources({ clock: () => clock, scorer: () => scorer }),
    clock,
    input: [makeItem('Article', article('A title'))],
    collect: true,
    observers: [{ settled: (event) => void settled.push(event) }],
  });
  return { items, report, settled };
}

/** A scorer whose every part is `value`. */
function flat(value: number): Scorer {
  const parts = { relevance: value, actionability: value, depth: value, authority: value };
  const evidence = { relevance: [], actionability: [], depth: [], authority: [] };
  return {
    ...real,
    score: (_, weights) => ({
      scores: { ...parts, composite: composite(parts, weights ?? real.weights()), evidence },
      domain: { domain: 'web', second: 'data', evidence: [], scores: { web: 3 } },
    }),
  };
}

describe('score and route', () => {
  it('file a signal with scores, both domains, reason and trail', async () => {
    const { items } = await run(flat(0.8));
    const signal = items[0]?.data as Signal;
    expect(signal).toMatchObject({ domain: 'web', domainSecond: 'data', decision: 'write' });
    expect(signal.reason).toMatch(/^0\.80 write to web/);
    expect(items[0]?.trail.map((t) => t.stage)).toEqual(['score', 'route']);
  });

  it.each([
    [0.55, 'write'],
    [0.549, 'review'],
    [0.3, 'review'],
  ])('put a composite of %f into %s', async (value, decision) => {
    const { items } = await run(flat(value));
    expect(items[0]?.data).toMatchObject({ decision });
  });

  it('drop what is below the thresholds, with its scores for the ledger', async () => {
    const { items, report, settled } = await run(flat(0.299));
    expect(items).toEqual([]);
    expect(report.dropped).toEqual({ 'below-threshold': 1 });
    const [event] = settled;
    expect(event && rowFor(event, { now: clock.now() })).toMatchObject({
      outcome: 'skipped',
      domain: 'web',
      scores: { composite: 0.299 },
    });
  });

  const settings = shippedSettings();
  const throwing: Scorer = {
    ...real,
    score: () => {
      throw new Error('boom');
    },
  };
  const notANumber = createScorer({ ...settings, authority: { ...settings.authority, neutral: Number.NaN } });
  it.each([
    ['throws', throwing, /boom/],
    ['gives NaN', notANumber, /authority score is not a number/],
  ])('keep an item as unscored when the scorer %s', async (_, broken, why) => {
    const { report, settled } = await run(broken);
    expect(report.dropped).toEqual({ unscored: 1 });
    expect(report.failed).toEqual([]);
    const row = settled[0] && rowFor(settled[0], { now: clock.now() });
    expect(row).toMatchObject({ outcome: 'unscored', reason: expect.stringMatching(why) });
    expect(row).not.toHaveProperty('scores');
  });

  it('report weights and thresholds that contradict themselves when the pipeline is loaded', () => {
    const steps =
      '  - score: { weights: { relevance: 0.5, actionability: 0.3, depth: 0.2, authority: 0.1 } }\n  - route: { write: 0.2 }\n';
    const messages = checkPipeline(source(steps), { registry }).map((e) => `${e.line}: ${e.message}`);
    expect(messages).toEqual([
      expect.stringMatching(/^5: .*sum to 1 but sum to 1\.1/),
      expect.stringMatching(/^6: .*review must not be above write/),
    ]);
  });

  it('name the presets when one does not exist', async () => {
    await expect(run(real, '  - score: { preset: nope, onError: stop }\n')).rejects.toThrow(/no scoring preset "nope"/);
  });

  it('have the thresholds that tools without a pipeline assume', () => {
    expect(route.config.parse({})).toEqual(DEFAULTS);
  });
});
