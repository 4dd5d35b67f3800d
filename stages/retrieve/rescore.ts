/** Orders the fused candidates by one normalised score of keywords, meaning and feedback. */
import { z } from 'zod';
import { parseQuery } from '../../lib/query/parse.js';
import { queryVector } from '../../lib/query/query-vector.js';
import type { TextQuery } from '../../lib/query/text-query.js';
import { type Analysed, analyse, occurrences } from '../../lib/ranking/lexical.js';
import { type Rescored, rescore as rescoreCandidates } from '../../lib/ranking/rescore.js';
import type { Hit, Item, Query } from '../../runner/items.js';
import { defineStage, type StageContext } from '../../runner/stage.js';

const share = z.number().min(0);

const config = z.strictObject({
  text: share.default(0.55).describe('Share of the keyword score.'),
  meaning: share.default(0.45).describe('Share of the cosine.'),
  feedback: z
    .strictObject({
      documents: z.number().int().min(0).default(5).describe('Leading candidates whose common words join the query.'),
      terms: z.number().int().min(1).default(30).describe('How many of their words join it.'),
      weight: share.default(0.25).describe('Weight of the strongest of them beside 1 for a word of the query.'),
    })
    .prefault({})
    .describe('Pseudo-relevance feedback within the candidates.'),
  weights: z
    .tuple([share, share, share])
    .default([1.0, 0.5, 0.3])
    .describe('What a word counts in the text, in the section heading, and in title and tags.'),
});

export const rescore = defineStage({
  name: 'rescore',
  summary: 'Orders candidates by keyword score and cosine together, each relative to the best.',
  docs: `Works on what the legs found; nothing new is searched. Keywords are scored in process: repeated words count
more, stop words a little, neighbouring words of the query a bit more when they stand together, and words that the
leading candidates share join in. Without vectors the keyword score decides alone. Figures: docs/retrieval.md.`,
  takes: 'Hit',
  gives: 'Hit',
  mode: 'all',
  config,
  effects: ['reads'],
  needs: ['store', 'embedder'],
  create: (settings) => ({
    async run(items: readonly Item<'Hit'>[], ctx): Promise<readonly Hit[]> {
      const query = ctx.input?.data as Query | undefined;
      if (!query || items.length === 0) return items.map((item) => item.data);
      const store = await ctx.use('store');
      const hits = items.map((item) => item.data);
      const stemmer = await store.stemmer?.();
      const cosines = await cosinesOf(hits, query, ctx);
      const candidates = hits.map((hit) => ({
        cosine: hit.cosine ?? cosines.get(hit.chunkId),
        analysed: analyse(
          [
            { text: hit.text, weight: settings.weights[0] },
            { text: hit.section, weight: settings.weights[1] },
            { text: [hit.meta.title, ...hit.meta.tags].join('\n'), weight: settings.weights[2] },
          ],
          stemmer,
        ),
      }));
      const parsed = parseQuery(query.text, { prefix: query.prefix ?? false, stemmer });
      const scores = await rescoreCandidates(parsed, candidates, (stems) => store.textStats(stems), settings);
      // The sort is stable: equal scores keep the fused order.
      return hits
        .map((hit, i) => withScore(hit, scores[i], matched(parsed, candidates[i]?.analysed)))
        .sort((a, b) => b.score - a.score);
    },
  }),
});

function withScore(hit: Hit, rescored: Rescored | undefined, matched: string): Hit {
  if (!rescored) return hit;
  const { score, lexical, feedback, cosine } = rescored;
  return {
    ...hit,
    score,
    ...(cosine === undefined ? {} : { cosine }),
    explain: { ...hit.explain, matched, keywords: lexical, feedback, ...(cosine === undefined ? {} : { cosine }) },
  };
}

/** The wanted terms that a candidate holds, as the user typed them. */
function matched({ wanted }: TextQuery, analysed: Analysed | undefined): string {
  return wanted
    .filter((term) => analysed && occurrences(analysed, term) > 0)
    .map((term) => term.source)
    .join(', ');
}

/** Cosines of the hits that only the keyword leg found. None when the meaning leg found nothing: it said why. */
async function cosinesOf(
  hits: readonly Hit[],
  query: Query,
  ctx: StageContext<'store' | 'embedder'>,
): Promise<ReadonlyMap<number, number>> {
  const missing = hits.filter((hit) => hit.cosine === undefined).map((hit) => hit.chunkId);
  if (missing.length === 0 || missing.length === hits.length) return new Map();
  const embedder = await ctx.use('embedder');
  const vector = await queryVector(query, embedder, ctx.signal);
  return vector ? (await ctx.use('store')).similarities(missing, vector, embedder.fingerprint) : new Map();
}
