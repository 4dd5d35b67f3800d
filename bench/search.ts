/**
 * Latency of a warm search in one process, per stage, and recall of its vector leg.
 * Usage: npx tsx bench/search.ts VAULT DB [QUERIES|-] [--recall] [--config=FILE]; index first: pipeline index --vault
 * VAULT --db DB. A config file whose `store` names a server measures the index there.
 */
import { cpuUsage } from 'node:process';
import { readOwnQueries } from '../lib/eval/collection.js';
import { percentile } from '../lib/eval/metrics.js';
import { queryVector } from '../lib/query/query-vector.js';
import { search } from '../workspace/search.js';
import { openWorkspace, type Workspace } from '../workspace/workspace.js';

const WARM_UP = 20;
const RECALL_TOP = 30;

/** Questions about what the bench vault holds: every so many-th section heading, as a person would type it. */
async function questionsOf(workspace: Workspace, count: number): Promise<string[]> {
  const store = await workspace.resources.use('store');
  const { notes } = await store.counts();
  const step = Math.max(1, Math.floor(notes / count));
  const questions: string[] = [];
  let at = 0;
  for await (const { path } of store.files()) {
    if (at++ % step !== 0) continue;
    const chunks = await store.chunksOf(path);
    const heading = chunks[at % Math.max(chunks.length, 1)]?.section;
    if (heading) questions.push(heading);
  }
  return questions.slice(0, count);
}

async function main([vault = '', db = '', file = '-', ...flags]: readonly string[]): Promise<void> {
  const config = flags.find((flag) => flag.startsWith('--config='))?.slice('--config='.length);
  const workspace = await openWorkspace({ vault, db, config, cwd: process.cwd(), env: process.env, readOnly: true });
  try {
    const questions =
      file !== '-' ? readOwnQueries(file).map((query) => query.text) : await questionsOf(workspace, 300);
    for (const text of questions.slice(0, WARM_UP)) await search(workspace, { text, limit: 5 });
    const stages = new Map<string, number[]>();
    const totals: number[] = [];
    const cpu: number[] = [];
    for (const text of questions) {
      const before = cpuUsage();
      const started = performance.now();
      const { report } = await search(workspace, { text, limit: 5 });
      totals.push(performance.now() - started);
      const { user, system } = cpuUsage(before);
      cpu.push((user + system) / 1000);
      for (const { name, ms } of report.stages) stages.set(name, [...(stages.get(name) ?? []), ms]);
    }
    const rows = [...stages, ['whole search', totals] as const, ['CPU time', cpu] as const];
    console.log(`${questions.length} questions`);
    for (const [name, times] of rows)
      console.log(
        `${name.padEnd(18)} p50 ${percentile(times, 0.5).toFixed(2).padStart(7)} ms  p95 ${percentile(times, 0.95).toFixed(2).padStart(7)} ms`,
      );
    if (flags.includes('--recall'))
      console.log(
        `recall@${RECALL_TOP} of the vector leg against stored vectors, all compared: ${(await recall(workspace, questions)).toFixed(4)}`,
      );
  } finally {
    await workspace.close();
  }
}

/** Share of the exact neighbours that the vector leg finds; exact means every vector, each text embedded anew in float. */
async function recall(workspace: Workspace, questions: readonly string[]): Promise<number> {
  const [store, embedder] = [await workspace.resources.use('store'), await workspace.resources.use('embedder')];
  const { embeddingText } = await import('../lib/chunk/chunk.js');
  const exact: { id: number; vector: Float32Array }[] = [];
  for await (const { path } of store.files()) {
    const chunks = await store.chunksOf(path);
    const vectors = await embedder.embed(
      chunks.map((c) => embeddingText(c.meta, c.section, c.text)),
      'document',
    );
    for (const [i, vector] of vectors.entries()) exact.push({ id: chunks[i]?.id ?? 0, vector });
  }
  let found = 0;
  let wanted = 0;
  for (const text of questions.slice(0, 50)) {
    const vector = await queryVector({ text, filter: {}, limit: 1 }, embedder);
    if (!vector) continue;
    const scored = exact.map((entry) => ({ id: entry.id, cosine: dot(entry.vector, vector) }));
    const ids = new Set(
      scored
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, RECALL_TOP)
        .map(({ id }) => id),
    );
    const hits = await store.matchVector(vector, { top: RECALL_TOP, filter: {}, fingerprint: embedder.fingerprint });
    found += hits.filter((hit) => ids.has(hit.chunkId)).length;
    wanted += ids.size;
  }
  return found / Math.max(wanted, 1);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

await main(process.argv.slice(2));
