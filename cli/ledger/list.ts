/** `ledger list` and `ledger show`. */
import type { TrailEntry } from '../../runner/items.js';
import { findItem } from '../../workspace/find-item.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { cell, scoreLines } from '../scoring/show.js';
import { type FilterFlags, filterOf, rowJson } from './filter.js';

export interface ListFlags extends CommonOptions, FilterFlags {
  readonly limit?: number;
}

/** Enough for a screen; `--limit` gives more, `--json` everything. */
const SCREENFUL = 50;

export async function list(flags: ListFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const ledger = await workspace.resources.use('ledger');
      const limit = flags.limit ?? (output.wantsJson ? undefined : SCREENFUL);
      const filter = { ...filterOf(flags, workspace.clock.now()), ...(limit === undefined ? {} : { limit }) };
      let shown = 0;
      for await (const row of ledger.list(filter)) {
        shown++;
        if (output.wantsJson) await output.line(JSON.stringify(rowJson(row)));
        else {
          const where = row.note ?? row.reason ?? '';
          const head = `${row.lastSeen.slice(0, 10)}  ${row.outcome.padEnd(9)} ${cell(row.scores?.composite)} ${(row.domain ?? '').padEnd(11)}`;
          await output.line(`${head} ${row.title}  [${row.source}]\n${' '.repeat(38)}${where}`);
        }
      }
      if (shown === 0) await output.info('No item matches.');
      else if (shown === limit && flags.limit === undefined)
        await output.info(`The latest ${limit}; use --limit for more.`);
      return 0;
    },
    { readOnly: true },
  );
}

export async function show(item: string, flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const ledger = await workspace.resources.use('ledger');
      const row = await findItem(ledger, item);
      const trail = row.trail === undefined ? [] : (JSON.parse(row.trail) as TrailEntry[]);
      if (output.wantsJson) {
        const { scores } = row;
        await output.json({
          ...rowJson(row),
          scores: scores ?? null,
          content_hash: row.contentHash ?? null,
          replayable: row.article !== undefined,
          trail,
        });
        return 0;
      }
      const facts: [string, string | undefined][] = [
        ['id', row.id],
        ['url', row.url],
        ['source', row.source],
        ['outcome', row.outcome],
        ['domain', row.domain && `${row.domain}${row.domainSecond ? `, then ${row.domainSecond}` : ''}`],
        ['note', row.note],
        ['seen', `${row.firstSeen} to ${row.lastSeen}`],
        ['reason', row.reason],
      ];
      await output.line(row.title);
      for (const [name, value] of facts) if (value) await output.line(`  ${name.padEnd(13)} ${value}`);
      for (const line of row.scores ? scoreLines(row.scores, 10) : []) await output.line(`  ${line}`);
      for (const { at, stage, what } of trail) await output.line(`  ${at}  ${stage}: ${what}`);
      return 0;
    },
    { readOnly: true },
  );
}
