import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PipelineError } from '../../runner/errors.js';
import { makeItem } from '../../runner/items.js';
import { loadPipeline } from '../../runner/load.js';
import type { Settled } from '../../runner/observe.js';
import { RunError, runPlan } from '../../runner/run.js';
import { defineStage } from '../../runner/stage.js';
import { mapOrdered } from '../../runner/window.js';
import { article, clock, load, query, registry, registryOf, resources } from './helpers.js';

const options = () => ({ resources: resources(), clock });
const batch = (titles: string[], steps = ['upper'], top = '') =>
  load(
    `version: 1\nname: b\n${top}\nsteps:\n  - fake-source: { titles: ${JSON.stringify(titles)} }\n${steps.map((s) => `  - ${s}\n`).join('')}`,
  );

describe('batch runs', () => {
  it('counts what came in, went out, was dropped and failed, and tells observers', async () => {
    const settled: Settled[] = [];
    const { report, items } = await runPlan(batch(['a', 'drop', 'throw', 'b'], ['upper', 'writer']), {
      ...options(),
      collect: true,
      observers: [{ settled: (e) => void settled.push(e) }],
    });
    expect(report).toMatchObject({ in: 4, out: 2, written: 2, dropped: { unwanted: 1 } });
    expect(report.failed).toEqual([{ id: 'throw', stage: 'upper', code: 'stage-failed', reason: 'bad title' }]);
    expect(items.map((i) => i.data)).toMatchObject([{ title: 'A' }, { title: 'B' }]);
    expect(items[0]?.id).toBe('a');
    expect(items[0]?.trail.map((t) => [t.stage, t.what])).toEqual([
      ['upper', 'upper x1'],
      ['writer', 'ok'],
    ]);
    expect(settled.map((s) => [s.item.id, s.outcome, s.reason])).toEqual([
      ['a', 'out', undefined],
      ['drop', 'dropped', 'unwanted'],
      ['throw', 'failed', 'bad title'],
      ['b', 'out', undefined],
    ]);
  });

  it('stops on onError: stop and keeps the report', async () => {
    const run = runPlan(batch(['a', 'throw', 'b'], ['upper'], 'onError: stop'), options());
    await expect(run).rejects.toBeInstanceOf(RunError);
    await expect(run).rejects.toMatchObject({ message: 'bad title', step: 'upper', report: { out: 1 } });
  });

  it('retries transient errors with growing delays, then reports', async () => {
    const delays: number[] = [];
    let calls = 0;
    const flaky = defineStage({
      name: 'flaky',
      summary: 'Fails twice.',
      takes: 'Article',
      gives: 'Article',
      mode: 'each',
      config: z.strictObject({}),
      effects: ['none'],
      needs: [],
      create: () => ({
        run: (data) => {
          if (++calls <= 2) throw new PipelineError('busy', 'try later', { transient: true });
          return data;
        },
      }),
    });
    const plan = loadPipeline(
      { file: 'f.yaml', text: 'version: 1\nname: f\nsteps: [flaky: { onError: retry }]' },
      { registry: registryOf(flaky) },
    );
    const { report } = await runPlan(plan, {
      ...options(),
      input: [makeItem('Article', article('x'))],
      delay: async (ms) => void delays.push(ms),
    });
    expect(report.out).toBe(1);
    expect(delays).toEqual([500, 1000]);
  });

  it('finishes the item in hand when asked to stop, and says so', async () => {
    const stop = new AbortController();
    const { report } = await runPlan(batch(['a', 'b', 'c']), {
      ...options(),
      stop: stop.signal,
      observers: [{ settled: () => stop.abort() }],
    });
    expect(report.interrupted).toBe(true);
    expect(report.out).toBeGreaterThanOrEqual(1);
    expect(report.out).toBeLessThan(3);
  });

  it('refuses to write in a read-only run and writes nothing in a dry run', async () => {
    await expect(runPlan(batch(['a'], ['writer']), { ...options(), readOnly: true })).rejects.toMatchObject({
      code: 'read-only',
    });
    expect((await runPlan(batch(['a'], ['writer']), { ...options(), dryRun: true })).report.written).toBe(0);
  });
});

describe('query runs', () => {
  const q = (a: string, b: string, optional = true, deadline = '') =>
    load(
      `version: 1\nname: q\nmode: query\n${deadline}\nsteps:\n  - parallel:\n      text: { optional: ${optional}, steps: [${a}] }\n      meaning: { optional: ${optional}, steps: [${b}] }\n    atLeast: 1\n`,
    );
  const input = () => [makeItem('Query', query('x'))];

  it('joins branches in order and marks where each item came from', async () => {
    const { items } = await runPlan<'Hit'>(q('ask-a', 'ask-b'), { ...options(), input: input() });
    expect(items.map((i) => [i.data.path, i.branch])).toEqual([
      ['a.md', 'text'],
      ['b.md', 'text'],
      ['c.md', 'meaning'],
    ]);
  });

  it('degrades to the other branch with a notice', async () => {
    const { items, report } = await runPlan<'Hit'>(q('ask-a', 'ask-fails'), { ...options(), input: input() });
    expect(items).toHaveLength(2);
    expect(report.notices).toEqual([{ code: 'branch-failed', message: 'meaning: no extension' }]);
  });

  it('answers with what it has when a branch misses the deadline', async () => {
    const { items, report } = await runPlan<'Hit'>(q('ask-a', 'ask-hangs', true, 'deadline: 20ms'), {
      ...options(),
      input: input(),
    });
    expect(items).toHaveLength(2);
    expect(report.notices[0]).toMatchObject({ code: 'deadline' });
  });

  it('fails when too few branches answer or a required one fails', async () => {
    await expect(runPlan(q('ask-fails', 'ask-fails'), { ...options(), input: input() })).rejects.toMatchObject({
      code: 'no-branch',
    });
    await expect(runPlan(q('ask-a', 'ask-fails', false), { ...options(), input: input() })).rejects.toMatchObject({
      message: 'no extension',
    });
  });
});

describe('mapOrdered', () => {
  it('keeps order and never has more than the limit in flight', async () => {
    let inFlight = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    async function* numbers() {
      for (let i = 0; i < 20; i++) yield i;
    }
    const seen: number[] = [];
    // The latest of three is released first: results must still come in input order.
    const work = async (i: number): Promise<number> => {
      most = Math.max(most, ++inFlight);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3 || i >= 18) for (const release of waiting.splice(0).reverse()) release();
      });
      inFlight--;
      return i;
    };
    for await (const n of mapOrdered(numbers(), 3, work)) {
      seen.push(n);
      for (const release of waiting.splice(0)) release();
    }
    expect(seen).toEqual([...Array(20).keys()]);
    expect(most).toBe(3);
  });

  it('closes the source when the consumer leaves early', async () => {
    let closed = false;
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    }
    for await (const n of mapOrdered(endless(), 2, async (i) => i)) if (n === 3) break;
    expect(closed).toBe(true);
  });
});

it('the test registry holds every helper stage', () => expect(registry.size).toBe(9));
