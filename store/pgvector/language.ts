/** The language of an index's words: written with the index, so that readers need not be told, and changed by its writer. */
import { type Language, type Stemmer, stemmerFor } from '../../lib/query/stemmer.js';
import { type PgClient, rows, run } from './connection.js';
import { textVector } from './text.js';
import { GENERATION } from './vectors.js';

const LANGUAGE = 'text-language';
/** Chunks read and written back at a time: a few megabytes. */
const BATCH = 2000;

/** The stemmer that the index was made with. */
export async function stemmerOf(on: PgClient): Promise<Stemmer> {
  const [row] = await rows<{ value: string }>(on, 'SELECT value FROM model_meta WHERE key = $1', [LANGUAGE]);
  return stemmerFor(row?.value ?? 'english');
}

/**
 * Makes the keyword index speak a language; nothing is read from the vault and no vector changes. 50,000 chunks take a
 * dozen seconds, in one transaction: a reader sees the index before or after. To be called by the only writer.
 */
export async function useLanguage(on: PgClient, language: Language): Promise<Stemmer> {
  const current = await stemmerOf(on);
  if (current.language === language) return current;
  const stemmer = await stemmerFor(language);
  await on.query('BEGIN');
  try {
    for (let after = 0; ; ) {
      const page = await rows<{ id: string; path: string; section: string; heading: string; text: string }>(
        on,
        `SELECT c.id, f.path, c.section, c.heading_context AS heading, c.text
         FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.id > $1 ORDER BY c.id LIMIT ${BATCH}`,
        [after],
      );
      if (page.length === 0) break;
      await writeTextVectors(
        on,
        page.map((row) => ({ ...row, headingContext: row.heading })),
        stemmer,
      );
      after = Number(page.at(-1)?.id);
    }
    await run(on, 'INSERT INTO model_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value', [
      LANGUAGE,
      language,
    ]);
    await run(on, 'UPDATE model_meta SET value = (value::bigint + 1)::text WHERE key = $1', [GENERATION]);
    await on.query('COMMIT');
  } catch (error) {
    await on.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  return stemmer;
}

/** Puts the keyword vectors of stored chunks anew. */
export async function writeTextVectors(
  on: PgClient,
  chunks: readonly {
    readonly id: string;
    readonly path: string;
    readonly section: string;
    readonly headingContext: string;
    readonly text: string;
  }[],
  stemmer: Stemmer,
): Promise<void> {
  const made = chunks.map((chunk) => textVector(chunk, stemmer));
  await run(
    on,
    `UPDATE chunks c SET fts = g.fts::tsvector, words = g.words
     FROM unnest($1::bigint[], $2::text[], $3::int[]) AS g(id, fts, words) WHERE c.id = g.id`,
    [chunks.map(({ id }) => id), made.map(({ fts }) => fts), made.map(({ words }) => words)],
  );
}
