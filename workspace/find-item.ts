/** Finds the item a user means: by id, alias, URL, note path, or a part of its title that only one has. */
import { ConfigError } from '../runner/errors.js';
import type { Ledger, LedgerRow } from '../store/ledger.js';

/** Throws `ConfigError` (`unknown-item`, `ambiguous-item`). */
export async function findItem(ledger: Ledger, what: string): Promise<LedgerRow> {
  const exact = (await ledger.find([what])) ?? (await ledger.byNote(what.replace(/^\.\//, '')));
  if (exact) return exact;
  const matches: LedgerRow[] = [];
  for await (const row of ledger.list({ text: what, limit: 6 })) matches.push(row);
  const byUrl = matches.filter((row) => row.url === what);
  const [only, ...others] = byUrl.length > 0 ? byUrl : matches;
  if (only && others.length === 0) return only;
  // The same address seen as a duplicate too: the row that became a note is the one that is meant.
  const noted = [only, ...others].filter((row) => row?.note !== undefined);
  if (noted.length === 1 && noted[0]) return noted[0];
  if (!only)
    throw new ConfigError('unknown-item', `The ledger has no item "${what}".`, {
      remedy: 'Give an id, a URL, a note path or a part of the title; see `pipeline ledger list`.',
    });
  const names = [only, ...others].slice(0, 5).map((row) => `${row.id} (${row.title})`);
  throw new ConfigError('ambiguous-item', `"${what}" matches several items: ${names.join('; ')}.`, {
    remedy: 'Give the id.',
  });
}
