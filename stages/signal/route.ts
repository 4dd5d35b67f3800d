/** Sends a scored signal to its domain folder, to review, or out of the pipeline with its scores in the ledger. */
import { z } from 'zod';
import { decide, explainDecision } from '../../lib/scoring/route.js';
import type { Signal } from '../../runner/items.js';
import { type Drop, defineStage, drop } from '../../runner/stage.js';

const threshold = z.number().min(0).max(1);

const config = z
  .strictObject({
    write: threshold.default(0.55).describe('Composite from which a signal is filed in its domain folder.'),
    review: threshold
      .default(0.3)
      .describe('Composite from which a signal is offered for review; below it is skipped.'),
  })
  .refine(({ write, review }) => review <= write, {
    message: 'review must not be above write',
    path: ['review'],
  });

export const route = defineStage({
  name: 'route',
  summary: 'Decides by composite: file in the domain folder, offer for review, or skip.',
  docs: `A composite equal to a threshold is in the upper band. Skipped and unscored signals leave the pipeline as
\`below-threshold\` and \`unscored\`, with scores and reason in the ledger, where \`replay\` and \`triage\` find them.`,
  takes: 'Signal',
  gives: 'Signal',
  mode: 'each',
  config,
  effects: ['none'],
  needs: [],
  create: (thresholds) => ({
    run(signal: Signal, ctx): Signal | Drop {
      if (!signal.scores) {
        const unscored: Signal = { ...signal, decision: 'unscored', reason: signal.reason ?? 'not scored' };
        return drop('unscored', unscored.reason, unscored);
      }
      const decision = decide(signal.scores.composite, thresholds);
      const reason = explainDecision(signal.scores, decision, signal.domain);
      const routed: Signal = { ...signal, decision, reason };
      ctx.note(`${decision} (${signal.scores.composite.toFixed(2)})`);
      return decision === 'skip' ? drop('below-threshold', reason, routed) : routed;
    },
  }),
});
