/** Ledger rows as SQL databases hold them: the columns of an item, the way back, and the meaning of a filter. */
import type { Scores } from '../runner/items.js';
import type { LedgerFilter, LedgerRow, Outcome } from './ledger.js';

/** An item as selected, with its aliases as JSON text (SQLite) or as a list (PostgreSQL). */
export interface ItemRecord {
  readonly id: string;
  readonly source: string;
  readonly url: string | null;
  readonly title: string;
  readonly outcome: Outcome;
  readonly composite: number | null;
  readonly domain: string | null;
  readonly domain_second: string | null;
  readonly note: string | null;
  readonly reason: string | null;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly content_hash: string | null;
  readonly scores: string | null;
  readonly article: string | null;
  readonly trail: string | null;
  readonly decided_by: 'user' | null;
  readonly aliases: string | readonly string[] | null;
}

/** The columns of an item in the order of `itemValues`. */
export const ITEM_COLUMNS = [
  'id',
  'source',
  'url',
  'title',
  'outcome',
  'composite',
  'domain',
  'domain_second',
  'note',
  'reason',
  'first_seen',
  'last_seen',
  'content_hash',
  'scores',
  'article',
  'trail',
  'decided_by',
] as const satisfies readonly (keyof ItemRecord)[];

/** For `ON CONFLICT (id) DO UPDATE SET`: when an item was first seen never changes. */
export const ITEM_UPDATE = ITEM_COLUMNS.filter((name) => name !== 'id' && name !== 'first_seen')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

export function itemValues(row: LedgerRow): (string | number | null)[] {
  return [
    row.id,
    row.source,
    row.url ?? null,
    row.title,
    row.outcome,
    row.scores?.composite ?? null,
    row.domain ?? null,
    row.domainSecond ?? null,
    row.note ?? null,
    row.reason ?? null,
    row.firstSeen,
    row.lastSeen,
    row.contentHash ?? null,
    row.scores === undefined ? null : JSON.stringify(row.scores),
    row.article ?? null,
    row.trail ?? null,
    row.decidedBy ?? null,
  ];
}

export function rowFromItem(record: ItemRecord): LedgerRow {
  const { aliases: given } = record;
  const aliases = typeof given === 'string' ? (JSON.parse(given) as string[]) : (given ?? []);
  return {
    id: record.id,
    source: record.source,
    ...(record.url === null ? {} : { url: record.url }),
    title: record.title,
    outcome: record.outcome,
    ...(record.scores === null ? {} : { scores: JSON.parse(record.scores) as Scores }),
    ...(record.domain === null ? {} : { domain: record.domain }),
    ...(record.domain_second === null ? {} : { domainSecond: record.domain_second }),
    ...(record.note === null ? {} : { note: record.note }),
    ...(record.reason === null ? {} : { reason: record.reason }),
    ...(record.decided_by === null ? {} : { decidedBy: record.decided_by }),
    firstSeen: record.first_seen,
    lastSeen: record.last_seen,
    ...(record.content_hash === null ? {} : { contentHash: record.content_hash }),
    ...(record.article === null ? {} : { article: record.article }),
    ...(record.trail === null ? {} : { trail: record.trail }),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}

/** How one database writes what SQL leaves open. */
export interface LedgerDialect {
  /** Registers a parameter and gives its placeholder. */
  add(value: string | number): string;
  /** True when `text`, an SQL expression, holds the value in any case. A user's % and _ mean themselves. */
  contains(text: string, value: string): string;
}

/** `WHERE …`, or nothing when every row is wanted. */
export function ledgerWhere(filter: LedgerFilter, { add, contains }: LedgerDialect): string {
  const parts: string[] = [];
  const { outcome, source, domain, since, until, minComposite, maxComposite, hasNote, text } = filter;
  if (outcome) parts.push(outcome.length === 0 ? '1 = 0' : `outcome IN (${outcome.map((o) => add(o)).join(', ')})`);
  if (source !== undefined) parts.push(`source = ${add(source)}`);
  if (domain !== undefined) parts.push(`domain = ${add(domain)}`);
  if (since !== undefined) parts.push(`last_seen >= ${add(since)}`);
  if (until !== undefined) parts.push(`last_seen < ${add(until)}`);
  if (minComposite !== undefined) parts.push(`composite >= ${add(minComposite)}`);
  if (maxComposite !== undefined) parts.push(`composite <= ${add(maxComposite)}`);
  if (hasNote !== undefined) parts.push(hasNote ? 'note IS NOT NULL' : 'note IS NULL');
  if (text !== undefined) parts.push(contains(`title || '\n' || coalesce(url, '') || '\n' || source`, text));
  return parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '';
}
