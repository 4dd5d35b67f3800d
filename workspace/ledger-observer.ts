/** Writes every item's end into the ledger: after the last stage, so that nothing counts as seen before its note is durable. */
import type { Observer } from '../runner/observe.js';
import type { Clock, Resources } from '../runner/resources.js';
import { recordItem } from '../store/ledger-row.js';

/** Item kinds that were taken in; vault files and queries have no ledger row. */
const TAKEN_IN: ReadonlySet<string> = new Set(['Article', 'Signal', 'Draft', 'WrittenNote']);

export function ledgerObserver(resources: Resources, clock: Clock): Observer {
  return {
    async settled(event) {
      if (!TAKEN_IN.has(event.item.kind)) return;
      const ledger = await resources.use('ledger');
      const scrubber = resources.has('scrubber') ? await resources.use('scrubber') : undefined;
      await recordItem(ledger, event, { now: clock.now(), ...(scrubber ? { scrubber } : {}) });
    },
  };
}
