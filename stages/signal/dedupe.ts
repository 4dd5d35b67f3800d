/** One item, one note, for ever: recognises what is known before anything is downloaded. */
import { z } from 'zod';
import type { KnownItem } from '../../lib/identity/recognise.js';
import type { Article } from '../../runner/items.js';
import { defineStage, drop } from '../../runner/stage.js';
import type { LedgerRow } from '../../store/ledger.js';

const means = z.enum(['guid', 'url', 'title', 'text']);

export const dedupe = defineStage({
  name: 'dedupe',
  summary: 'Drops items that are known and unchanged, and recognises updates and copies from other sources.',
  docs:
    'Sets `key`, `aliases` and `fingerprint`. Marks nothing as seen: that happens when the item has left the pipeline. ' +
    'An item that is known but changed goes on under its old key; the same story from another source goes on as the ' +
    'known item with one more source. May stand a second time after the page was fetched, to follow redirects.',
  takes: 'Article',
  gives: 'Article',
  mode: 'each',
  config: z.strictObject({
    by: z
      .array(means)
      .min(1)
      .default(['guid', 'url', 'title', 'text'])
      .describe('What may recognise an item: its ids, its address, its title within three days, nearly equal text.'),
  }),
  effects: ['reads'],
  needs: ['ledger', 'urlCleaner'],
  create: async ({ by }) => {
    const { identify } = await import('../../lib/identity/identify.js');
    const { Recogniser } = await import('../../lib/identity/recognise.js');
    // A plan outlives its runs; what one run has let through is kept under that run's own signal.
    const runs = new WeakMap<AbortSignal, InstanceType<typeof Recogniser>>();
    return {
      async run(given, ctx) {
        const urls = await ctx.use('urlCleaner');
        const ledger = await ctx.use('ledger');
        let recogniser = runs.get(ctx.signal);
        if (!recogniser) {
          recogniser = new Recogniser(async (aliases) => knownFrom(await ledger.find(aliases)));
          runs.set(ctx.signal, recogniser);
        }
        const verdict = await recogniser.recognise(identify(given, urls, by), new Date(ctx.now()).toISOString());
        if ('drop' in verdict) return drop(verdict.drop, verdict.why, verdict.data);
        ctx.note(verdict.why);
        return verdict.pass;
      },
    };
  },
});

function knownFrom(row: LedgerRow | undefined): KnownItem | undefined {
  return (
    row && {
      id: row.id,
      source: row.source,
      title: row.title,
      firstSeen: row.firstSeen,
      hasNote: row.note !== undefined,
      unsettled: row.outcome === 'failed' || row.outcome === 'unscored',
      declined: row.decidedBy === 'user' && row.outcome === 'skipped',
      article: row.article === undefined ? undefined : (JSON.parse(row.article) as Article),
    }
  );
}
