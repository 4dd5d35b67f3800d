/** What waits for triage, and what can be shown of it. */
import type { Article } from '../../runner/items.js';
import type { Ledger, LedgerFilter, LedgerRow } from '../../store/ledger.js';
import type { TriageItem } from './state.js';

/** Best first: what is nearest to being filed is the most likely to be wanted. */
export async function pendingItems(ledger: Ledger, filter: LedgerFilter = {}): Promise<TriageItem[]> {
  const items: TriageItem[] = [];
  for await (const row of ledger.list({ outcome: ['review', 'unscored'], ...filter })) {
    if (row.decidedBy === undefined) items.push(itemOf(row));
  }
  const composite = ({ row }: TriageItem) => row.scores?.composite ?? 0;
  return items.sort((a, b) => composite(b) - composite(a) || (a.row.id < b.row.id ? -1 : 1));
}

export function itemOf(row: LedgerRow): TriageItem {
  return { row, excerpt: excerptOf(row) };
}

/** The beginning of the stored text, without Markdown and HTML marks. */
export function excerptOf(row: LedgerRow, length = 600): string {
  if (row.article === undefined) return '';
  const article = JSON.parse(row.article) as Article;
  const text = (article.markdown ?? article.summary ?? article.html ?? '').slice(0, 20 * length);
  const plain = text
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/!\[[^\]]{0,200}\]\([^)]{0,500}\)/g, ' ')
    .replace(/\[([^\]]{0,200})\]\([^)]{0,500}\)/g, '$1')
    .replace(/[`*_#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > length ? `${plain.slice(0, plain.lastIndexOf(' ', length))}…` : plain;
}
