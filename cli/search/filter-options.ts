/** The metadata filter as command-line options, the same for every command that asks. */
import type { Command } from 'commander';
import { parseDateRange } from '../../lib/query/dates.js';
import type { Filter } from '../../runner/items.js';

export interface FilterFlags {
  readonly type?: string[];
  readonly domain?: string[];
  readonly tag?: string[];
  readonly status?: string[];
  readonly folder?: string[];
  readonly source?: string[];
  readonly created?: string;
  readonly updated?: string;
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--type <type...>', 'only notes of these types')
    .option('--domain <domain...>', 'only these domains')
    .option('--tag <tag...>', 'only notes with all of these tags; a tag includes its nested ones')
    .option('--status <status...>', 'only these states: active, draft, archived')
    .option('--folder <folder...>', 'only notes below these folders')
    .option('--source <source...>', 'only notes from this address or host')
    .option('--created <range>', 'a date or range: 2026-03, "last week", "since 2026-01-01"')
    .option('--updated <range>', 'likewise, by last change of content');
}

/** @throws {ConfigError} `bad-date-range`. */
export function filterFrom(flags: FilterFlags, nowMs: number, ceiling?: Filter['ceiling']): Filter {
  const { type, domain, tag, status, source } = flags;
  const created = flags.created === undefined ? {} : parseDateRange(flags.created, nowMs);
  const updated = flags.updated === undefined ? {} : parseDateRange(flags.updated, nowMs);
  const folder = flags.folder?.map((path) => path.replaceAll('\\', '/').replace(/^\.?\/+|\/+$/g, ''));
  return {
    ...(type ? { type } : {}),
    ...(domain ? { domain } : {}),
    ...(tag ? { tag } : {}),
    ...(status ? { status } : {}),
    ...(folder ? { folder } : {}),
    ...(source ? { source } : {}),
    ...(created.from ? { createdFrom: created.from } : {}),
    ...(created.to ? { createdTo: created.to } : {}),
    ...(updated.from ? { updatedFrom: updated.from } : {}),
    ...(updated.to ? { updatedTo: updated.to } : {}),
    ...(ceiling ? { ceiling } : {}),
  };
}
