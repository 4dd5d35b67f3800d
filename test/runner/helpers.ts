/** Small stages and a fixed clock for runner tests. */
import { z } from 'zod';
import type { Article, Hit, Query } from '../../runner/items.js';
import { loadPipeline } from '../../runner/load.js';
import { createResources } from '../../runner/resources.js';
import { type AnyStage, defineStage, drop } from '../../runner/stage.js';

export const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };
export const resources = () => createResources({ clock: () => clock });

export const article = (title: string): Article => ({ source: { name: 't', kind: 'list' }, title, tags: [] });
export const query = (text: string): Query => ({ text, filter: {}, limit: 5 });
export const hit = (path: string): Hit => ({
  chunkId: 1,
  path,
  section: '',
  text: path,
  lines: [1, 1],
  meta: { title: path, tags: [] },
  score: 1,
  bm25Rank: 1,
  vecRank: null,
});

const titles = z.strictObject({ titles: z.array(z.string()).default([]).describe('Titles to give.') });

export const fakeSource = defineStage({
  name: 'fake-source',
  summary: 'Gives articles with the configured titles.',
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: titles,
  effects: ['none'],
  needs: [],
  create: (config) => ({
    async *run() {
      for (const title of config.titles) yield { id: title, data: article(title) };
    },
  }),
});

export const upper = defineStage({
  name: 'upper',
  summary: 'Upper-cases titles; drops "drop", throws on "throw".',
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({ times: z.number().int().default(1).describe('Repetitions.') }),
  effects: ['none'],
  needs: [],
  create: (config) => ({
    run(data, ctx) {
      if (data.title === 'throw') throw new Error('bad title');
      if (data.title === 'drop') return drop('unwanted', 'said so');
      ctx.note(`upper x${config.times}`);
      return { ...data, title: data.title.toUpperCase().repeat(config.times) };
    },
  }),
});

export const anyKind = defineStage({
  name: 'any-kind',
  summary: 'Passes anything.',
  takes: 'any',
  gives: 'same',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['none'],
  needs: [],
  create: () => ({ run: (data) => data }),
});

export const weigh = defineStage({
  name: 'weigh',
  summary: 'Has weights that must sum to one.',
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({
    weights: z
      .strictObject({ a: z.number().default(0.5), b: z.number().default(0.5) })
      .prefault({})
      .refine((w) => Math.abs(w.a + w.b - 1) < 1e-9, 'weights must sum to 1')
      .describe('Two weights.'),
  }),
  effects: ['none'],
  needs: [],
  create: () => ({ run: (data) => data }),
});

export const writer = defineStage({
  name: 'writer',
  summary: 'Writes.',
  takes: 'Article',
  gives: 'Article',
  mode: 'sink',
  config: z.strictObject({}),
  effects: ['writes'],
  needs: [],
  create: () => ({
    run(data, ctx) {
      if (!ctx.dryRun) ctx.written();
      return data;
    },
  }),
});

export const ask = (name: string, paths: readonly string[], failure?: string) =>
  defineStage({
    name,
    summary: 'Answers a query with fixed hits, fails, or never answers.',
    takes: 'Query',
    gives: 'Hit',
    mode: 'each',
    config: z.strictObject({}),
    effects: ['reads'],
    needs: [],
    create: () => ({
      run: async () => {
        if (failure === 'hang') await new Promise(() => undefined);
        if (failure) throw new Error(failure);
        return paths.map(hit);
      },
    }),
  });

export const registryOf = (...stages: unknown[]): Map<string, AnyStage> =>
  new Map((stages as AnyStage[]).map((s) => [s.name, s]));

export const registry = registryOf(
  fakeSource,
  upper,
  anyKind,
  weigh,
  writer,
  ask('ask-a', ['a.md', 'b.md']),
  ask('ask-b', ['c.md']),
  ask('ask-fails', [], 'no extension'),
  ask('ask-hangs', [], 'hang'),
);

export const load = (text: string, options: { overrides?: string[]; env?: Record<string, string> } = {}) =>
  loadPipeline({ file: 'test.yaml', text }, { registry, ...options });
