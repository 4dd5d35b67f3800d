/** The keyword index: FTS5 over the chunks (external content), its upkeep, and queries against it. */
import { INDEX_TERMS_VERSION, indexTerms } from '../../lib/query/index-terms.js';
import type { TextQuery } from '../../lib/query/text-query.js';
import { plainStems, TermsByWorth } from '../../lib/ranking/leading.js';
import type { TextStats } from '../../lib/ranking/lexical.js';
import type { Hit } from '../../runner/items.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from '../rows.js';
import type { TextMatchOptions } from '../types.js';
import { changeStamp } from './change-stamp.js';
import type { Db } from './database.js';
import { compileLed, compileMatch, type Match } from './fts-query.js';
import type { IndexedChunkRow } from './rows.js';
import { Selections, selectionSql } from './selection.js';
import { Statements } from './statements.js';

/** Raised with every change of the tables or of what is put into them: 0..999, part of the schema version. */
export const TEXT_VERSION = 200 + INDEX_TERMS_VERSION;

export const TEXT_SCHEMA = `
CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, section, heading_context, path, terms,
  content='chunks', content_rowid='id', tokenize="porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab(chunks_fts, row);
`;

/** What the keyword index needs of a chunk. Removal needs exactly the values that were inserted. */
export interface TextRow {
  readonly id: number;
  readonly text: string;
  readonly section: string;
  readonly headingContext: string;
  /** `pathText` of the note's path, as stored in `chunks.path`. */
  readonly path: string;
  /** `termsOf` the chunk, as stored in `chunks.terms`. */
  readonly terms: string;
}

/** The extra terms of a chunk: what a plain tokenizer does not see in it. */
export function termsOf(text: string, section: string): string {
  return indexTerms(`${section}\n${text}`);
}

/** A path as the keyword index holds it: composed, whatever the file system made of it. */
export function pathText(path: string): string {
  return path.normalize('NFC');
}

/** A stored chunk as the keyword index was given it. */
export function textRow(row: IndexedChunkRow): TextRow {
  const { chunk_id: id, text, section, heading_context: headingContext, path, terms } = row;
  return { id, text, section, headingContext, path, terms };
}

/** A chunk and its BM25, the larger the better. */
interface Ranked {
  readonly id: number;
  readonly score: number;
}

const COLUMNS = 'text, section, heading_context, path, terms';

export class TextIndex {
  /** Counts of stems, valid for one state of the database. */
  private known: { version: string; chunks: number; averageWords: number; counts: Map<string, number> } | undefined;
  private readonly statements: Statements;

  constructor(
    private readonly db: Db,
    private readonly selections = new Selections(db),
  ) {
    this.statements = new Statements(db);
  }

  private readonly inserting = lazy(() =>
    this.db.prepare(`INSERT INTO chunks_fts(rowid, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`),
  );
  private readonly removing = lazy(() =>
    this.db.prepare(`INSERT INTO chunks_fts(chunks_fts, rowid, ${COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?, ?)`),
  );
  private readonly stamp = lazy(() => changeStamp(this.db));
  private readonly counting = lazy(() =>
    this.db.prepare<[string], { doc: number }>('SELECT doc FROM chunks_vocab WHERE term = ?'),
  );

  insert({ id, text, section, headingContext, path, terms }: TextRow): void {
    this.inserting().run(id, text, section, headingContext, path, terms);
  }

  /** Must run before the row leaves `chunks`, with its old values: anything else corrupts the index. */
  remove({ id, text, section, headingContext, path, terms }: TextRow): void {
    this.removing().run(id, text, section, headingContext, path, terms);
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

  /**
   * The best chunks by BM25. Only chunks with a rare word are scored at first, a tenth of the work; the score that takes
   * then says whether words that were left out could have led to a better chunk. Figures: docs/retrieval.md.
   */
  match(query: TextQuery, options: TextMatchOptions): readonly Hit[] {
    const match = compileMatch(query);
    if (match === undefined) return [];
    if (query.wanted.some(({ kind }) => kind === 'phrase')) return this.hits(this.best(match, options));
    const terms = new TermsByWorth(query, this.stats(plainStems(query)));
    const led = (count: number): readonly Ranked[] => {
      const { leading, following } = terms.split(count);
      return this.best(following.length === 0 ? match : compileLed(leading, following, query.excluded), options);
    };
    const first = terms.atFirst();
    const found = led(first);
    const needed = terms.toReach(found.length < options.top ? 0 : (found.at(-1)?.score ?? 0));
    return this.hits(needed <= first ? found : led(needed));
  }

  /**
   * Ranks only; the texts are read for the best: with them in the sorter a common word took four times as long on 50,700
   * chunks. The plus sign keeps a filter from being handed to FTS5, which would then run the query once for every chunk
   * the filter lets through: 2.7 s instead of 21 ms for a filter that lets nearly all. The path counts as the heading
   * does, extra terms as the text they come from.
   */
  private best({ expression, scale }: Match, { top, filter, weights }: TextMatchOptions): readonly Ranked[] {
    const selected = selectionSql(this.selections.of(filter), '+rowid');
    return this.statements
      .of<Ranked>(
        `SELECT rowid AS id, -bm25(chunks_fts, ?, ?, ?, ?, ?) / ${scale} AS score FROM chunks_fts
         WHERE chunks_fts MATCH ? ${selected.sql} ORDER BY score DESC, rowid LIMIT ?`,
      )
      .all(...weights, weights[2], weights[0], expression, ...selected.params, top);
  }

  private hits(ranked: readonly Ranked[]): readonly Hit[] {
    const rows = this.statements
      .of<HitRow<number>>(
        `SELECT ${HIT_COLUMNS} FROM json_each(?) n JOIN chunks c ON c.id = n.value JOIN files f ON f.id = c.file_id
         ORDER BY n.key`,
      )
      .all(JSON.stringify(ranked.map(({ id }) => id)));
    return rows.map((row, i) => {
      const score = ranked[i]?.score ?? 0;
      return { ...hitFromRow(row), score, bm25Score: score, bm25Rank: i + 1, vecRank: null };
    });
  }

  /** How many chunks hold each stem. Kept until the database changes: a common word's postings take a millisecond. */
  stats(stems: readonly string[]): TextStats {
    const known = this.current();
    for (const stem of stems) {
      if (!known.counts.has(stem)) known.counts.set(stem, this.counting().get(stem)?.doc ?? 0);
    }
    return { ...known, counts: new Map(stems.map((stem) => [stem, known.counts.get(stem) ?? 0])) };
  }

  private current(): NonNullable<typeof this.known> {
    const version = this.stamp()();
    if (this.known?.version !== version) this.known = { version, ...this.totals(), counts: new Map() };
    return this.known;
  }

  /** FTS5 keeps the number of rows and the words of each column in its first record, as varints. */
  private totals(): { chunks: number; averageWords: number } {
    const block = this.db.prepare<[], { block: Buffer }>('SELECT block FROM chunks_fts_data WHERE id = 1').get()?.block;
    const [chunks = 0, ...words] = block ? varints(block) : [];
    return { chunks, averageWords: words.reduce((sum, n) => sum + n, 0) / Math.max(chunks, 1) };
  }
}

/** SQLite's variable-length integers: seven bits a byte, high bit set on all but the last (below 2^56 here). */
function varints(bytes: Uint8Array): number[] {
  const out: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 127);
    if (byte & 128) continue;
    out.push(value);
    value = 0;
  }
  return out;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
