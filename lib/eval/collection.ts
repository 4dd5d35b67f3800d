/** Reads what retrieval is measured on: BEIR folders, and a user's own file of questions. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../runner/errors.js';
import type { Judgements } from './metrics.js';

export interface EvalQuery {
  readonly id: string;
  readonly text: string;
  readonly relevant: Judgements;
}

export interface EvalDocument {
  readonly id: string;
  readonly text: string;
}

export interface Collection {
  readonly name: string;
  readonly documents: readonly EvalDocument[];
  readonly queries: readonly EvalQuery[];
}

const documentLine = z.object({ _id: z.string(), title: z.string().default(''), text: z.string().default('') });
const queryLine = z.object({ _id: z.string(), text: z.string() });
const ownLine = z.object({
  query: z.string().min(1),
  expected: z.union([z.string().transform((path) => [path]), z.array(z.string()).min(1)]),
});

/**
 * A folder with corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv). Only queries with a positive judgement
 * count.
 * @throws {ConfigError} `eval-set` naming file and line.
 */
export function readBeir(folder: string): Collection {
  const qrels = ['qrels.tsv', join('qrels', 'test.tsv')].map((name) => join(folder, name)).find(existsSync);
  if (!qrels) {
    throw new ConfigError('eval-set', `${folder} has no qrels.tsv.`, {
      remedy: 'Name a folder in BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv.',
    });
  }
  const judged = readJudgements(qrels);
  const documents = jsonLines(join(folder, 'corpus.jsonl'), documentLine).map(({ _id, title, text }) => ({
    id: _id,
    text: withTitle(title, text),
  }));
  const queries = jsonLines(join(folder, 'queries.jsonl'), queryLine).flatMap(({ _id, text }) => {
    const relevant = judged.get(_id);
    return relevant ? [{ id: _id, text, relevant }] : [];
  });
  return { name: basename(folder), documents, queries };
}

/** A title that the text itself holds (a function's name, a repeated heading) is not said twice. */
function withTitle(title: string, text: string): string {
  if (title.trim() === '' || text.includes(title)) return text;
  return text.trim() === '' ? title : `${title}\n\n${text}`;
}

/**
 * A user's own questions: one JSON object a line, `{"query": "…", "expected": "note.md" or [paths]}`.
 * @throws {ConfigError} `eval-set` naming file and line.
 */
export function readOwnQueries(file: string): EvalQuery[] {
  return jsonLines(file, ownLine).map(({ query, expected }, i) => ({
    id: String(i + 1),
    text: query,
    relevant: new Map(expected.map((path) => [path, 1])),
  }));
}

function readJudgements(file: string): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  for (const line of readText(file).split('\n')) {
    const [query, document, grade] = line.trimEnd().split('\t');
    // The header line has words where the grades stand.
    if (query === undefined || document === undefined || !(Number(grade) > 0)) continue;
    const known = judged.get(query) ?? new Map<string, number>();
    judged.set(query, known.set(document, Number(grade)));
  }
  return judged;
}

function jsonLines<S extends z.ZodType>(file: string, schema: S): z.output<S>[] {
  return readText(file)
    .split('\n')
    .flatMap((line, i) => {
      if (line.trim() === '') return [];
      try {
        return [schema.parse(JSON.parse(line))];
      } catch (cause) {
        throw new ConfigError('eval-set', `Line ${i + 1} is not what it should be.`, {
          file,
          line: i + 1,
          cause,
          remedy: 'See `pipeline eval --help` for the format.',
        });
      }
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError('eval-set', `${file} cannot be read.`, { file, cause, remedy: 'Check the path.' });
  }
}
