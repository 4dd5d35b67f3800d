/** The ledger in memory: the reference for the contract test, and the ledger of runs without a vault. */
import type {
  JournalEntry,
  Label,
  Ledger,
  LedgerChange,
  LedgerFilter,
  LedgerRow,
  Retention,
  SourceState,
  WrittenText,
} from './ledger.js';

/** Journal entries kept for `triage undo`. */
export const JOURNAL_LIMIT = 200;

export class MemoryLedger implements Ledger {
  readonly #rows = new Map<string, LedgerRow>();
  readonly #aliases = new Map<string, string>();
  readonly #written = new Map<string, string>();
  readonly #sources = new Map<string, SourceState>();
  #labels: Label[] = [];
  #journal: JournalEntry[] = [];
  #seq = 0;

  async get(id: string): Promise<LedgerRow | undefined> {
    return this.#rows.get(id);
  }

  async find(aliases: readonly string[]): Promise<LedgerRow | undefined> {
    for (const alias of aliases) {
      const row = this.#rows.get(alias) ?? this.#rows.get(this.#aliases.get(alias) ?? '');
      if (row) return row;
    }
    return undefined;
  }

  async byNote(path: string): Promise<LedgerRow | undefined> {
    let found: LedgerRow | undefined;
    for (const row of this.#rows.values()) {
      if (row.note === path && (!found || row.lastSeen > found.lastSeen)) found = row;
    }
    return found;
  }

  async put(row: LedgerRow): Promise<void> {
    const known = this.#rows.get(row.id);
    const aliases = [...new Set([...(known?.aliases ?? []), ...(row.aliases ?? [])])].sort();
    this.#rows.set(row.id, {
      ...row,
      firstSeen: known?.firstSeen ?? row.firstSeen,
      ...(aliases.length > 0 ? { aliases } : {}),
    });
    for (const alias of aliases) this.#aliases.set(alias, row.id);
  }

  async apply(change: LedgerChange): Promise<void> {
    for (const row of change.rows ?? []) await this.put(row);
    for (const label of change.removeLabels ?? [])
      this.#labels = this.#labels.filter((l) => l.id !== label.id || l.at !== label.at || l.kind !== label.kind);
    for (const label of change.labels ?? []) await this.addLabel(label);
    for (const { path, text } of change.written ?? []) await this.setLastWritten(path, text);
    if (change.undone !== undefined) this.#journal = this.#journal.filter((e) => e.seq !== change.undone);
    if (change.journal) this.#journal.push({ ...change.journal, seq: ++this.#seq });
    this.#journal = this.#journal.slice(-JOURNAL_LIMIT);
  }

  async *list(filter: LedgerFilter): AsyncGenerator<LedgerRow> {
    const rows = [...this.#rows.values()]
      .filter((row) => matches(row, filter))
      .sort((a, b) => compare(b.lastSeen, a.lastSeen) || compare(a.id, b.id));
    yield* rows.slice(0, filter.limit ?? rows.length);
  }

  async lastWritten(path: string): Promise<string | undefined> {
    return this.#written.get(path);
  }

  async setLastWritten(path: string, text: string | undefined): Promise<void> {
    if (text === undefined) this.#written.delete(path);
    else this.#written.set(path, text);
  }

  async *allWritten(): AsyncGenerator<WrittenText> {
    for (const [path, text] of [...this.#written].sort(([a], [b]) => compare(a, b))) yield { path, text };
  }

  async sourceState(name: string): Promise<SourceState | undefined> {
    return this.#sources.get(name);
  }

  async setSourceState(state: SourceState): Promise<void> {
    this.#sources.set(state.name, state);
  }

  async *sourceStates(): AsyncGenerator<SourceState> {
    yield* [...this.#sources.values()].sort((a, b) => compare(a.name, b.name));
  }

  async addLabel(label: Label): Promise<void> {
    if (!this.#labels.some((l) => l.id === label.id && l.at === label.at && l.kind === label.kind))
      this.#labels.push(label);
  }

  async *labels(): AsyncGenerator<Label> {
    yield* [...this.#labels];
  }

  async lastAction(): Promise<JournalEntry | undefined> {
    return this.#journal.at(-1);
  }

  async *actions(): AsyncGenerator<JournalEntry> {
    yield* [...this.#journal];
  }

  async retain(retention: Retention): Promise<{ articles: number; rows: number }> {
    let articles = 0;
    let rows = 0;
    for (const row of [...this.#rows.values()]) {
      if (!retention.outcome.includes(row.outcome)) continue;
      if (retention.rowsBefore !== undefined && row.lastSeen < retention.rowsBefore) {
        this.#rows.delete(row.id);
        for (const [alias, id] of this.#aliases) if (id === row.id) this.#aliases.delete(alias);
        rows++;
      } else if (
        retention.articlesBefore !== undefined &&
        row.lastSeen < retention.articlesBefore &&
        (row.article !== undefined || row.trail !== undefined)
      ) {
        const { article: _article, trail: _trail, ...kept } = row;
        this.#rows.set(row.id, kept);
        articles++;
      }
    }
    return { articles, rows };
  }

  async close(): Promise<void> {}
}

/** The meaning of a filter; SQL implementations must agree with it. */
function matches(row: LedgerRow, filter: LedgerFilter): boolean {
  const composite = row.scores?.composite;
  if (filter.outcome && !filter.outcome.includes(row.outcome)) return false;
  if (filter.source !== undefined && row.source !== filter.source) return false;
  if (filter.domain !== undefined && row.domain !== filter.domain) return false;
  if (filter.since !== undefined && row.lastSeen < filter.since) return false;
  if (filter.until !== undefined && row.lastSeen >= filter.until) return false;
  if (filter.minComposite !== undefined && !(composite !== undefined && composite >= filter.minComposite)) return false;
  if (filter.maxComposite !== undefined && !(composite !== undefined && composite <= filter.maxComposite)) return false;
  if (filter.hasNote !== undefined && (row.note !== undefined) !== filter.hasNote) return false;
  if (filter.text !== undefined) {
    const haystack = `${row.title}\n${row.url ?? ''}\n${row.source}`.toLowerCase();
    if (!haystack.includes(filter.text.toLowerCase())) return false;
  }
  return true;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
