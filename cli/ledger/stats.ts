/** `ledger stats`: outcomes, a histogram of composites with the thresholds drawn in, sources and domains. */
import { type GroupStats, ledgerStats } from '../../workspace/ledger-stats.js';
import { ingestRouting } from '../../workspace/routing.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { cell } from '../scoring/show.js';
import { filterOf } from './filter.js';
import type { ListFlags } from './list.js';

const WIDTH = 40;

export async function stats(flags: ListFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const ledger = await workspace.resources.use('ledger');
      const found = await ledgerStats(ledger, filterOf(flags, workspace.clock.now()));
      if (output.wantsJson) {
        await output.json(found);
        return 0;
      }
      const scorer = await workspace.resources.use('scorer');
      const { thresholds } = ingestRouting(() => workspace.plan('ingest'), scorer);
      await output.line(`${found.items} items: ${outcomes(found)}`);
      await output.line(`\nComposite (write from ${thresholds.write}, review from ${thresholds.review})`);
      for (const line of histogramLines(found.histogram, thresholds)) await output.line(line);
      for (const [title, groups] of [
        ['Source', found.sources],
        ['Domain', found.domains],
      ] as const) {
        const names = Object.entries(groups);
        if (names.length === 0) continue;
        const width = Math.max(...names.map(([name]) => name.length), title.length);
        await output.line(`\n${title.padEnd(width)}  items  mean  composites  outcomes`);
        for (const [name, group] of names)
          await output.line(
            `${name.padEnd(width)}  ${String(group.items).padStart(5)}  ${cell(group.mean ?? undefined)}  ${spark(group.histogram)}  ${outcomes(group)}`,
          );
      }
      return 0;
    },
    { readOnly: true },
  );
}

function outcomes(group: GroupStats): string {
  return Object.entries(group.outcomes)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
}

/** Ten lines `0.5  ██████ 12`, with the bins that thresholds fall into marked. */
export function histogramLines(
  histogram: readonly number[],
  thresholds: { readonly write: number; readonly review: number },
): string[] {
  const most = Math.max(1, ...histogram);
  return histogram.map((n, bin) => {
    const marks = Object.entries(thresholds)
      .filter(([, at]) => Math.min(histogram.length - 1, Math.floor(at * histogram.length + 1e-9)) === bin)
      .map(([name]) => ` <- ${name}`);
    const length = Math.round((n / most) * WIDTH);
    return `${(bin / histogram.length).toFixed(1)}  ${'█'.repeat(n > 0 ? Math.max(1, length) : 0).padEnd(WIDTH)} ${n}${marks.join('')}`;
  });
}

/** Ten cells, one a bin. */
export function spark(histogram: readonly number[]): string {
  const most = Math.max(1, ...histogram);
  return histogram.map((n) => (n === 0 ? '·' : ('▁▂▃▄▅▆▇█'[Math.ceil((n / most) * 8) - 1] ?? '█'))).join('');
}
