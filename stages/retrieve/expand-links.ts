/** Adds notes that the best hits link to, and the maps of content that list them. */
import { z } from 'zod';
import { matchesFilter } from '../../lib/query/filter.js';
import type { Hit, Item, Query } from '../../runner/items.js';
import { defineStage, type StageContext } from '../../runner/stage.js';
import type { ChunkStore } from '../../store/types.js';

const config = z.strictObject({
  enabled: z.boolean().default(false).describe('Off, hits pass unchanged.'),
  depth: z.literal(1).default(1).describe('Links followed from a hit; only direct ones.'),
  from: z.number().int().min(1).default(5).describe('How many of the best notes are expanded.'),
  add: z.number().int().min(0).default(5).describe('How many notes are added at most.'),
  mocs: z.boolean().default(true).describe('Also the maps of content (type: moc) that link to a hit.'),
  share: z.number().min(0).max(1).default(0.5).describe("An added note's score beside that of the hit it comes from."),
});

type Settings = z.output<typeof config>;

/** A note reached by a link, with the share of score it earns. */
interface Reached {
  readonly path: string;
  readonly score: number;
  readonly via: string;
}

export const expandLinks = defineStage({
  name: 'expand-links',
  summary: 'Adds the notes that the best hits link to, and the maps that contain them.',
  docs: `An added note comes in with its first chunk and a share of the linking hit's score; a note that two hits link to
earns both shares. Metadata filters hold for added notes too.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['reads'],
  needs: ['store'],
  create: (settings) => ({
    async run(items: readonly Item<'Hit'>[], ctx): Promise<readonly Hit[]> {
      const hits = items.map((item) => item.data);
      if (!settings.enabled || hits.length === 0) return hits;
      const store = await ctx.use('store');
      const reached = await follow(hits, store, settings);
      const added = await firstChunks(reached, store, settings.add, ctx);
      if (added.length > 0)
        ctx.report(
          'expanded',
          added.map((hit) => hit.path),
        );
      return [...hits, ...added].sort((a, b) => b.score - a.score);
    },
  }),
});

async function follow(hits: readonly Hit[], store: ChunkStore, { from, mocs, share }: Settings): Promise<Reached[]> {
  const known = new Set(hits.map((hit) => hit.path));
  const reached = new Map<string, Reached>();
  const reach = (path: string, hit: Hit): void => {
    if (known.has(path)) return;
    const before = reached.get(path);
    reached.set(path, { path, score: (before?.score ?? 0) + hit.score * share, via: before?.via ?? hit.path });
  };
  const best = hits.filter((hit, i) => hits.findIndex((other) => other.path === hit.path) === i).slice(0, from);
  for (const hit of best) {
    const targets = new Set((await store.linksFrom(hit.path)).flatMap((link) => (link.to === null ? [] : [link.to])));
    for (const path of targets) reach(path, hit);
    if (!mocs) continue;
    for (const path of new Set((await store.linksTo(hit.path)).map((link) => link.from))) {
      if ((await store.note(path))?.meta.type === 'moc') reach(path, hit);
    }
  }
  return [...reached.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

async function firstChunks(
  reached: readonly Reached[],
  store: ChunkStore,
  count: number,
  ctx: StageContext<'store'>,
): Promise<Hit[]> {
  const filter = (ctx.input?.data as Query | undefined)?.filter ?? {};
  const added: Hit[] = [];
  for (const { path, score, via } of reached) {
    if (added.length >= count) break;
    const [chunk] = await store.chunksOf(path);
    if (!chunk || !matchesFilter(path, chunk.meta, filter)) continue;
    const { id, section, text, lines, meta } = chunk;
    added.push({
      chunkId: id,
      path,
      section,
      text,
      lines,
      meta,
      score,
      bm25Rank: null,
      vecRank: null,
      explain: { 'linked from': via },
    });
  }
  return added;
}
