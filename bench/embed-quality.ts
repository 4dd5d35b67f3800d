/** nDCG@10 of an embedder alone on the shared retrieval sets: exact cosine, linear gain, judged queries only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder } from '../stages/embed/models/types.js';

interface Document {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

/** Mean nDCG@10 over the queries of a BEIR folder that have a positive judgement. `cosqa` sets index the text alone. */
export async function ndcgAt10(folder: string, embedder: Embedder): Promise<number> {
  const textOnly = /cosqa/.test(folder);
  const corpus = lines(join(folder, 'corpus.jsonl')).map((line) => JSON.parse(line) as Document);
  const queries = new Map(
    lines(join(folder, 'queries.jsonl'))
      .map((line) => JSON.parse(line) as Document)
      .map((q) => [q._id, q.text]),
  );
  const judged = new Map<string, Map<string, number>>();
  for (const line of lines(join(folder, 'qrels.tsv')).slice(1)) {
    const [query = '', document = '', grade] = line.split('\t');
    if (!(Number(grade) > 0)) continue;
    const known = judged.get(query) ?? new Map<string, number>();
    judged.set(query, known.set(document, Number(grade)));
  }
  const documents = await embedAll(
    embedder,
    corpus.map((d) => (textOnly || !d.title ? d.text : `${d.title}\n${d.text}`)),
  );
  let sum = 0;
  for (const [id, grades] of judged) {
    const [query] = await embedder.embed([queries.get(id) ?? ''], 'query');
    if (!query) continue;
    const ranked = documents
      .map((vector, i) => [dot(query, vector), corpus[i]?._id ?? ''] as const)
      .sort(([a], [b]) => b - a)
      .slice(0, 10);
    const gain = ranked.reduce((total, [, document], i) => total + (grades.get(document) ?? 0) / Math.log2(i + 2), 0);
    const best = [...grades.values()].sort((a, b) => b - a).slice(0, 10);
    sum += gain / best.reduce((total, grade, i) => total + grade / Math.log2(i + 2), 0);
  }
  return sum / judged.size;
}

async function embedAll(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const out: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += 64)
    out.push(...(await embedder.embed(texts.slice(at, at + 64), 'document')));
  return out;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
