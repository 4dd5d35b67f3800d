/** Counts over the ledger: outcomes, reasons, composites in ten bins, per source and domain. */
import type { Ledger, LedgerFilter, Outcome } from '../store/ledger.js';

/** One group of items. `histogram[n]` counts composites in [n/10, (n+1)/10), the last bin including 1. */
export interface GroupStats {
  readonly items: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly scored: number;
  /** Mean composite; null when nothing is scored. */
  readonly mean: number | null;
  readonly histogram: readonly number[];
}

export interface LedgerStats extends GroupStats {
  readonly sources: Readonly<Record<string, GroupStats>>;
  readonly domains: Readonly<Record<string, GroupStats>>;
}

const BINS = 10;

class Tally {
  items = 0;
  outcomes: Partial<Record<Outcome, number>> = {};
  scored = 0;
  sum = 0;
  histogram = new Array<number>(BINS).fill(0);

  add(outcome: Outcome, composite: number | undefined): void {
    this.items++;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    if (composite === undefined) return;
    this.scored++;
    this.sum += composite;
    // A sum of 0.1 steps in floating point may lie just below its bin: 0.3 * 10 is 3, but 0.7 * 10 is 7.000000000000001.
    const bin = Math.min(BINS - 1, Math.floor(composite * BINS + 1e-9));
    this.histogram[bin] = (this.histogram[bin] ?? 0) + 1;
  }

  result(): GroupStats {
    const { items, outcomes, scored, histogram } = this;
    const mean = scored === 0 ? null : Math.round((this.sum / scored) * 1000) / 1000;
    return { items, outcomes, scored, mean, histogram };
  }
}

export async function ledgerStats(ledger: Ledger, filter: LedgerFilter): Promise<LedgerStats> {
  const all = new Tally();
  const sources = new Map<string, Tally>();
  const domains = new Map<string, Tally>();
  const group = (groups: Map<string, Tally>, name: string): Tally => {
    const known = groups.get(name) ?? new Tally();
    groups.set(name, known);
    return known;
  };
  for await (const { outcome, scores, source, domain } of ledger.list(filter)) {
    const tallies = [all, group(sources, source), ...(domain === undefined ? [] : [group(domains, domain)])];
    for (const tally of tallies) tally.add(outcome, scores?.composite);
  }
  return { ...all.result(), sources: sorted(sources), domains: sorted(domains) };
}

/** Largest first, then by name. */
function sorted(groups: ReadonlyMap<string, Tally>): Record<string, GroupStats> {
  const order = [...groups].sort(([a, x], [b, y]) => y.items - x.items || (a < b ? -1 : 1));
  return Object.fromEntries(order.map(([name, tally]) => [name, tally.result()]));
}
