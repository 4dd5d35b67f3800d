/**
 * Keyword search: a `tsvector` made from the same words and stems as SQLite's index, candidates by PostgreSQL, BM25 over
 * the best of them in process. PostgreSQL's own parsers and dictionaries are not used: they take `C++`, `DEC-0054` and
 * scripts without spaces apart in other ways, and both stores must find the same notes.
 */
import { indexTerms } from '../../lib/query/index-terms.js';
import type { Stemmer } from '../../lib/query/stemmer.js';
import type { TextQuery, TextTerm } from '../../lib/query/text-query.js';
import { words } from '../../lib/query/words.js';
import { plainStems, TermsByWorth } from '../../lib/ranking/leading.js';
import { idf, saturate, type TextStats } from '../../lib/ranking/lexical.js';
import type { Hit } from '../../runner/items.js';
import { filterSql } from '../filter-sql.js';
import { occurrences } from '../memory-rank.js';
import { HIT_COLUMNS, type HitRow, hitFromRow } from '../rows.js';
import type { TextMatchOptions } from '../types.js';
import { type PgClient, rows } from './connection.js';
import { Params } from './filter.js';

/** What the index needs of a chunk. */
export interface TextFields {
  readonly text: string;
  readonly section: string;
  readonly headingContext: string;
  readonly path: string;
}

/** Candidates scored in process for each one asked for; ts_rank agrees with BM25 well enough above that. */
const POOL_FACTOR = 4;
const MIN_POOL = 120;
/** Terms that rank candidates; the rarest of a 10 kB query decide, the others only cost time. */
const MAX_RANKED_TERMS = 24;
const MAX_REPEATS = 4;
/** Limits of `tsvector`: bytes of a lexeme (here in characters), the highest position, positions of one lexeme. */
const MAX_LEXEME = 500;
const MAX_POSITION = 16_383;
const MAX_POSITIONS = 255;
/** Between two fields: a phrase never reaches from one into the next. */
const FIELD_GAP = 8;

const stemsOf = (text: string, { stem }: Stemmer): string[] =>
  words(text.normalize('NFC')).map((word) => stem(word).slice(0, MAX_LEXEME));

/** The fields with their tsvector label; the path counts as the heading does, extra terms as the text they come from. */
function fieldsOf(
  { text, section, headingContext, path }: TextFields,
  stemmer: Stemmer,
): [label: 'A' | 'B' | 'C' | 'D', stems: string[]][] {
  return [
    ['A', stemsOf(text, stemmer)],
    ['B', stemsOf(section, stemmer)],
    ['C', stemsOf(headingContext, stemmer)],
    ['C', stemsOf(path, stemmer)],
    ['D', stemsOf(indexTerms(`${section}\n${text}`), stemmer)],
  ];
}

/** The chunk's tsvector as a literal, and its number of words. */
export function textVector(fields: TextFields, stemmer: Stemmer): { readonly fts: string; readonly words: number } {
  const places = new Map<string, string[]>();
  let position = 1;
  let count = 0;
  for (const [label, stems] of fieldsOf(fields, stemmer)) {
    for (const lexeme of stems) {
      const at = places.get(lexeme) ?? [];
      if (at.length === 0) places.set(lexeme, at);
      if (at.length < MAX_POSITIONS) at.push(`${Math.min(position, MAX_POSITION)}${label}`);
      position++;
      count++;
    }
    position += FIELD_GAP;
  }
  return { fts: [...places].map(([lexeme, at]) => `${quoted(lexeme)}:${at.join(',')}`).join(' '), words: count };
}

/** Words hold letters, digits and marks only, so nothing in them can end the string; quoting is for certainty. */
const quoted = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const lexeme = (stemmed: string): string => quoted(stemmed.slice(0, MAX_LEXEME));

/** One term in the language of `tsquery`: adjacent words, the last one perhaps a prefix. */
function tsTerm({ words: parts, prefix }: TextTerm, { stem }: Stemmer): string {
  const lexemes = parts.map((word) => quoted(stem(word).slice(0, MAX_LEXEME)));
  return lexemes.map((l, i) => (prefix && i === lexemes.length - 1 ? `${l}:*` : l)).join(' <-> ');
}

/** What is known of one generation of the index. */
interface Known {
  readonly generation: string;
  readonly chunks: number;
  readonly averageWords: number;
  /** Chunks that a tsquery matches. */
  readonly counts: Map<string, number>;
}

/**
 * From this many chunks on, how common a common word is comes from PostgreSQL's own statistics: counting takes 10 ms a
 * word, and ranking does not see the difference. Rare words are not in them and are always counted.
 */
const ESTIMATED_FROM = 20_000;

async function totals(on: PgClient, generation: string): Promise<Known> {
  const [all] = await rows<{ chunks: string; words: number | null }>(
    on,
    'SELECT count(*) AS chunks, avg(words)::float8 AS words FROM chunks',
  );
  const chunks = Number(all?.chunks ?? 0);
  const counts = new Map<string, number>();
  if (chunks >= ESTIMATED_FROM) {
    const common = await rows<{ lexeme: string; share: number }>(
      on,
      // The last two of the shares are their minimum and maximum.
      `SELECT unnest(most_common_elems::text::text[]) AS lexeme,
         unnest(most_common_elem_freqs[:cardinality(most_common_elem_freqs) - 2])::float8 AS share
       FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'chunks' AND attname = 'fts'`,
    );
    for (const { lexeme: word, share } of common) counts.set(lexeme(word), Math.max(1, Math.round(share * chunks)));
  }
  return { generation, chunks, averageWords: all?.words ?? 0, counts };
}

export class TextIndex {
  private known: Known | undefined;

  /** Statistics of the whole index for single stems. */
  async stats(on: PgClient, generation: string, stems: readonly string[]): Promise<TextStats> {
    const queries = stems.map(lexeme);
    const { chunks, averageWords, counts } = await this.countsOf(on, generation, queries);
    return { chunks, averageWords, counts: new Map(stems.map((s, i) => [s, counts.get(queries[i] ?? '') ?? 0])) };
  }

  private async countsOf(on: PgClient, generation: string, queries: readonly string[]): Promise<Known> {
    if (this.known?.generation !== generation) this.known = await totals(on, generation);
    const { known } = this;
    const missing = [...new Set(queries)].filter((q) => !known.counts.has(q));
    if (missing.length > 0) {
      const found = await rows<{ n: string }>(
        on,
        `SELECT (SELECT count(*) FROM chunks c WHERE c.fts @@ q.text::tsquery) AS n
         FROM unnest($1::text[]) WITH ORDINALITY AS q(text, i) ORDER BY q.i`,
        [missing],
      );
      for (const [i, query] of missing.entries()) known.counts.set(query, Number(found[i]?.n ?? 0));
    }
    return known;
  }

  /**
   * The best chunks by BM25. As in SQLite, only chunks with a rare word are looked at first, and the score that takes
   * says whether words that were left out could have led to a better one.
   */
  async match(on: PgClient, generation: string, query: TextQuery, options: TextMatchOptions): Promise<readonly Hit[]> {
    if (query.wanted.length === 0) return [];
    const all = query.wanted.map((term) => ({ term, ts: tsTerm(term, query.stemmer) }));
    const stems = plainStems(query);
    const { counts, chunks, averageWords } = await this.countsOf(on, generation, [
      ...all.map(({ ts }) => ts),
      ...stems.map(lexeme),
    ]);
    const terms = all
      .map(({ term, ts }) => ({ term, ts, idf: idf(chunks, counts.get(ts) ?? 0), count: counts.get(ts) ?? 0 }))
      .filter((t) => t.count > 0);
    if (terms.length === 0) return [];
    const collection = { terms, averageWords, stemmer: query.stemmer };
    if (query.wanted.some(({ kind }) => kind === 'phrase'))
      return best(on, matchExpression(query, query.wanted), collection, options);
    const worth = new TermsByWorth(query, {
      chunks,
      averageWords,
      counts: new Map(stems.map((s) => [s, counts.get(lexeme(s)) ?? 0])),
    });
    if (worth.count === 0) return [];
    const led = (count: number): Promise<readonly Hit[]> =>
      best(on, matchExpression(query, worth.split(count).leading), collection, options);
    const first = worth.atFirst();
    const found = await led(first);
    const needed = worth.toReach(found.length < options.top ? 0 : (found.at(-1)?.score ?? 0));
    return needed <= first ? found : led(needed);
  }
}

/** What ranking needs to know of the whole index: the query's terms that are in it, and how long chunks are. */
interface Collection {
  readonly terms: readonly { readonly term: TextTerm; readonly ts: string; readonly idf: number }[];
  readonly averageWords: number;
  readonly stemmer: Stemmer;
}

/** The best of the chunks that match: candidates by `ts_rank`, BM25 over the best of those. */
async function best(
  on: PgClient,
  expression: string,
  collection: Collection,
  { top, filter, weights }: TextMatchOptions,
): Promise<readonly Hit[]> {
  const { terms, averageWords } = collection;
  const ranked = [...terms].sort((a, b) => b.idf - a.idf).slice(0, MAX_RANKED_TERMS);
  const params = new Params();
  const matched = params.add(expression);
  const label = params.add(`{${[weights[0], weights[2], weights[1], weights[0]].join(',')}}`);
  const where = filterSql(filter, params);
  const rank = ranked
    .map(({ ts, idf: weight, term }) => {
      const factor = params.add(weight * Math.min(term.weight, MAX_REPEATS));
      return `${factor}::float8 * ts_rank(${label}::float4[], c.fts, ${params.add(ts)}::tsquery)`;
    })
    .join(' + ');
  const average = params.add(Math.max(averageWords, 1));
  const pool = params.add(Math.max(MIN_POOL, top * POOL_FACTOR));
  const candidates = await rows<HitRow>(
    on,
    `WITH best AS MATERIALIZED (
       SELECT c.id, (${rank}) / (0.25 + 0.75 * c.words / ${average}::float8) AS rank
       FROM chunks c ${where === undefined ? '' : 'JOIN files f ON f.id = c.file_id'}
       WHERE c.fts @@ ${matched}::tsquery ${where === undefined ? '' : `AND ${where}`}
       ORDER BY rank DESC, c.id LIMIT ${pool}
     )
     SELECT ${HIT_COLUMNS} FROM best JOIN chunks c ON c.id = best.id JOIN files f ON f.id = c.file_id ORDER BY c.id`,
    params.values,
  );
  const scored = candidates.map((row) => ({ row, score: bm25(row, collection, weights) }));
  scored.sort((a, b) => b.score - a.score || Number(a.row.chunk_id) - Number(b.row.chunk_id));
  return scored.slice(0, top).map(({ row, score }, i) => ({
    ...hitFromRow(row),
    score,
    bm25Score: score,
    bm25Rank: i + 1,
    vecRank: null,
  }));
}

/** The leading terms are alternatives, quoted phrases are required, exclusions apply to the whole. */
function matchExpression(query: TextQuery, leading: readonly TextTerm[]): string {
  const ts = (term: TextTerm): string => tsTerm(term, query.stemmer);
  const any = `(${leading.map((t) => `(${ts(t)})`).join(' | ')})`;
  const required = query.wanted.filter((t) => t.kind === 'phrase').map((t) => `(${ts(t)})`);
  const excluded = query.excluded.map((t) => `!(${ts(t)})`);
  return [...required, any, ...excluded].join(' & ');
}

/** Okapi BM25 with FTS5's constants, exact for one candidate. */
function bm25(
  row: HitRow,
  { terms, averageWords, stemmer }: Collection,
  [text, section, heading]: TextMatchOptions['weights'],
): number {
  const weight = { A: text, B: section, C: heading, D: text };
  const fields = fieldsOf(
    { text: row.text, section: row.section, headingContext: row.heading_context, path: row.path },
    stemmer,
  );
  const length = fields.reduce((n, [, stems]) => n + stems.length, 0);
  let score = 0;
  for (const { term, idf: rarity } of terms) {
    const frequency = fields.reduce((n, [label, stems]) => n + weight[label] * occurrences(stems, term, stemmer), 0);
    score += rarity * Math.min(term.weight, MAX_REPEATS) * saturate(frequency, length, averageWords);
  }
  return score;
}
