/** `ledger prune`: applies the retention settings; a dry run unless told to apply. */
import type { LedgerRow, Retention } from '../../store/ledger.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';

export async function prune(flags: CommonOptions & { readonly apply?: boolean }): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async ({ settings, clock, resources }) => {
      const ledger = await resources.use('ledger');
      const before = (age: number | undefined) =>
        age === undefined ? undefined : new Date(clock.now() - age).toISOString();
      const rowsBefore = before(settings.ledger.keepRows);
      const articlesBefore = before(settings.ledger.keepArticles);
      const retention: Retention = {
        outcome: ['skipped', 'duplicate'],
        ...(rowsBefore === undefined ? {} : { rowsBefore }),
        ...(articlesBefore === undefined ? {} : { articlesBefore }),
      };
      const done: { rows: number; articles: number } = flags.apply
        ? await ledger.retain(retention)
        : { rows: 0, articles: 0 };
      if (!flags.apply) {
        const isOld = (row: LedgerRow, limit: string | undefined) => limit !== undefined && row.lastSeen < limit;
        for await (const row of ledger.list({ outcome: retention.outcome })) {
          if (isOld(row, rowsBefore)) done.rows++;
          else if (isOld(row, articlesBefore) && (row.article !== undefined || row.trail !== undefined))
            done.articles++;
        }
      }
      if (output.wantsJson) await output.json({ applied: flags.apply ?? false, ...done });
      else
        await output.line(
          `${flags.apply ? 'Forgot' : 'Would forget'} ${done.rows} items, and the stored text of ${done.articles}.${flags.apply ? '' : ' Use --apply to do it.'}`,
        );
      return 0;
    },
    { readOnly: !flags.apply },
  );
}
