/** The keyword index: FTS5 over the chunks (external content), its upkeep, and queries against it. */
import { INDEX_TERMS_VERSION, indexTerms } from '../../lib/query/index-terms.js';
import type { TextQuery } from '../../lib/query/text-query.js';
import type { Hit } from '../../runner/items.js';
import type { TextMatchOptions } from '../types.js';
import type { Db } from './database.js';
import { filterSql } from './filter.js';
import { compileMatch } from './fts-query.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from './rows.js';

/** Raised with every change of the table or of what is put into it: 0..999, part of the schema version. */
export const TEXT_VERSION = 100 + INDEX_TERMS_VERSION;

export const TEXT_SCHEMA = `
CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, section, heading_context, terms,
  content='chunks', content_rowid='id', tokenize="porter unicode61 remove_diacritics 2"
);
`;

/** What the keyword index needs of a chunk. Removal needs exactly the values that were inserted. */
export interface TextRow {
  readonly id: number;
  readonly text: string;
  readonly section: string;
  readonly headingContext: string;
  /** `indexTerms` of the text, as stored in `chunks.terms`. */
  readonly terms: string;
}

/** The extra terms of a chunk: what a plain tokenizer does not see in it. */
export function termsOf(text: string, section: string): string {
  return indexTerms(`${section}\n${text}`);
}

export class TextIndex {
  constructor(private readonly db: Db) {}

  private readonly inserting = lazy(() =>
    this.db.prepare('INSERT INTO chunks_fts(rowid, text, section, heading_context, terms) VALUES (?, ?, ?, ?, ?)'),
  );
  private readonly removing = lazy(() =>
    this.db.prepare(
      `INSERT INTO chunks_fts(chunks_fts, rowid, text, section, heading_context, terms)
       VALUES ('delete', ?, ?, ?, ?, ?)`,
    ),
  );

  insert({ id, text, section, headingContext, terms }: TextRow): void {
    this.inserting().run(id, text, section, headingContext, terms);
  }

  /** Must run before the row leaves `chunks`, with its old values: anything else corrupts the index. */
  remove({ id, text, section, headingContext, terms }: TextRow): void {
    this.removing().run(id, text, section, headingContext, terms);
  }

  clear(): void {
    this.db.exec(`INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')`);
  }

  /** Merges the index into one b-tree: half the size and twice the speed after a bulk load. */
  optimize(): void {
    this.db.exec(`INSERT INTO chunks_fts(chunks_fts) VALUES ('optimize')`);
  }

  /** Compares the index with its content; throws when they disagree. */
  check(): void {
    this.db.exec(`INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('integrity-check', 1)`);
  }

  match(query: TextQuery, { top, filter, weights }: TextMatchOptions): readonly Hit[] {
    const expression = compileMatch(query);
    if (expression === undefined) return [];
    const where = filterSql(filter);
    const rows = this.db
      .prepare<unknown[], HitRow & { bm25: number }>(
        `SELECT ${HIT_COLUMNS}, bm25(chunks_fts, ?, ?, ?, ?) AS bm25
         FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid JOIN files f ON f.id = c.file_id
         WHERE chunks_fts MATCH ? AND ${where.sql}
         ORDER BY bm25, c.id LIMIT ?`,
      )
      .all(...weights, weights[0], expression, ...where.params, top);
    return rows.map((row, i) => ({
      ...hitFromRow(row),
      score: -row.bm25,
      bm25Score: -row.bm25,
      bm25Rank: i + 1,
      vecRank: null,
    }));
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
