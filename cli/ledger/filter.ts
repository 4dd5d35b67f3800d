/** Filter options of the ledger commands as a `LedgerFilter`, and rows as `--json` gives them. */
import { ConfigError, suggest } from '../../runner/errors.js';
import type { LedgerFilter, LedgerRow, Outcome } from '../../store/ledger.js';
import { parseSince } from '../commands/run.js';

export interface FilterFlags {
  readonly outcome?: string;
  readonly source?: string;
  readonly domain?: string;
  readonly since?: string;
  readonly min?: number;
  readonly max?: number;
  readonly text?: string;
}

export const OUTCOMES: readonly Outcome[] = ['written', 'review', 'skipped', 'duplicate', 'failed', 'unscored'];

/** Throws `ConfigError` for an unknown outcome or an unreadable date. */
export function filterOf(flags: FilterFlags, now: number): LedgerFilter {
  return {
    ...(flags.outcome === undefined ? {} : { outcome: flags.outcome.split(',').map(outcome) }),
    ...(flags.source === undefined ? {} : { source: flags.source }),
    ...(flags.domain === undefined ? {} : { domain: flags.domain }),
    ...(flags.since === undefined ? {} : { since: new Date(parseSince(flags.since, now)).toISOString() }),
    ...(flags.min === undefined ? {} : { minComposite: flags.min }),
    ...(flags.max === undefined ? {} : { maxComposite: flags.max }),
    ...(flags.text === undefined ? {} : { text: flags.text }),
  };
}

function outcome(text: string): Outcome {
  const name = text.trim();
  const known = OUTCOMES.find((o) => o === name);
  if (known) return known;
  throw new ConfigError('outcome', `--outcome: there is no outcome "${name}".`, { remedy: suggest(name, OUTCOMES) });
}

/** A row as CLI.md names its fields. */
export function rowJson(row: LedgerRow): Record<string, unknown> {
  return {
    id: row.id,
    source: row.source,
    url: row.url ?? null,
    title: row.title,
    outcome: row.outcome,
    composite: row.scores?.composite ?? null,
    domain: row.domain ?? null,
    domain_second: row.domainSecond ?? null,
    note: row.note ?? null,
    first_seen: row.firstSeen,
    last_seen: row.lastSeen,
    reason: row.reason ?? null,
  };
}
