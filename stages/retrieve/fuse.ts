/** Merges the ranked lists of the branches into one, each chunk once. */
import { z } from 'zod';
import { fuseRanks } from '../../lib/ranking/rrf.js';
import type { Hit, Item } from '../../runner/items.js';
import { defineStage } from '../../runner/stage.js';

const config = z.strictObject({
  method: z.enum(['rrf']).default('rrf').describe('Reciprocal rank fusion.'),
  k: z.number().min(0).default(60).describe('Damps the difference between the first ranks.'),
  weights: z
    .record(z.string(), z.number().min(0))
    .default({ text: 1, meaning: 1 })
    .describe('Weight of each branch by its name; a branch not named here weighs 1.'),
});

export const fuse = defineStage({
  name: 'fuse',
  summary: 'Merges the lists of all branches by reciprocal rank fusion.',
  docs: `score = sum of weight / (k + rank), ranks from 1. Equal scores: chunks in more lists first, then the lowest
combined rank, then the lowest rank in any list. Every hit keeps its ranks and scores of both legs.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['none'],
  needs: [],
  create: ({ k, weights }) => ({
    run(items: readonly Item<'Hit'>[]): readonly Hit[] {
      const branches = new Map<string, Hit[]>();
      for (const { branch = 'text', data } of items) branches.set(branch, [...(branches.get(branch) ?? []), data]);
      const names = [...branches.keys()];
      const lists = names.map((name) => ({
        weight: weights[name] ?? 1,
        ids: (branches.get(name) ?? []).map((hit) => hit.chunkId),
      }));
      const byId = new Map<number, Hit[]>();
      for (const { data } of items) byId.set(data.chunkId, [...(byId.get(data.chunkId) ?? []), data]);
      return fuseRanks(lists, k).map(({ id, score, ranks }) => merge(byId.get(id) ?? [], score, names, ranks));
    },
  }),
});

/** One hit from what each leg knows of the chunk. */
function merge(hits: readonly Hit[], score: number, names: readonly string[], ranks: readonly (number | null)[]): Hit {
  const [first] = hits as readonly [Hit, ...Hit[]];
  const found = <K extends keyof Hit>(key: K): Hit[K] | undefined =>
    hits.find((hit) => hit[key] !== null && hit[key] !== undefined)?.[key];
  const bm25Score = found('bm25Score');
  const cosine = found('cosine');
  return {
    ...first,
    score,
    bm25Rank: found('bm25Rank') ?? null,
    vecRank: found('vecRank') ?? null,
    ...(bm25Score === undefined ? {} : { bm25Score }),
    ...(cosine === undefined ? {} : { cosine }),
    explain: {
      ...first.explain,
      rrf: score,
      ...Object.fromEntries(names.flatMap((name, i) => (ranks[i] == null ? [] : [[`${name} rank`, ranks[i]]]))),
    },
  };
}
