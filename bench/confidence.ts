/**
 * How often gibberish is told from a question: random strings over an index, and the notes' own headings as questions.
 * Usage: npx tsx bench/confidence.ts VAULT DB [STRINGS]; index first: pipeline index --vault VAULT --db DB.
 */
import { search } from '../workspace/search.js';
import { openWorkspace, type Workspace } from '../workspace/workspace.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Mulberry32: the same strings in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** One to five made-up words of three to ten letters each. */
function gibberish(count: number): string[] {
  const next = random(20_261_201);
  const below = (n: number): number => Math.floor(next() * n);
  const word = (): string => Array.from({ length: 3 + below(8) }, () => LETTERS[below(26)]).join('');
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(5) }, word).join(' '));
}

async function headings(workspace: Workspace, count: number): Promise<string[]> {
  const store = await workspace.resources.use('store');
  const step = Math.max(1, Math.floor((await store.counts()).notes / count));
  const found: string[] = [];
  let at = 0;
  for await (const { path } of store.files()) {
    if (at++ % step === 0) found.push((await store.chunksOf(path)).at(-1)?.section ?? '');
  }
  return found.filter((heading) => heading !== '').slice(0, count);
}

const [vault = '', db = '', strings = '1000'] = process.argv.slice(2);
const workspace = await openWorkspace({ vault, db, cwd: process.cwd(), env: process.env, readOnly: true });
try {
  for (const [kind, queries] of [
    ['random strings', gibberish(Number(strings))],
    ['headings', await headings(workspace, Number(strings))],
  ] as const) {
    let flagged = 0;
    for (const text of queries) if (!(await search(workspace, { text, limit: 5 })).answer.good) flagged++;
    const share = ((100 * flagged) / queries.length).toFixed(1);
    console.log(`${queries.length} ${kind}: ${flagged} called no good match (${share} %)`);
  }
} finally {
  await workspace.close();
}
