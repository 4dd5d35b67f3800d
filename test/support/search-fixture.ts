/** A small vault in memory and a toy embedder, to run query pipelines in tests without files or models. */
import { loadSecrets } from '../../config/secrets.js';
import { headingContext } from '../../lib/chunk/chunk.js';
import { stem, words } from '../../lib/query/words.js';
import { createScrubber } from '../../lib/secrets/scrubber.js';
import { type Hit, makeItem, type NoteLink, type NoteMeta, type Query } from '../../runner/items.js';
import { loadPipeline } from '../../runner/load.js';
import type { RunResult } from '../../runner/observe.js';
import { createResources, type ResourceFactories } from '../../runner/resources.js';
import { runPlan } from '../../runner/run.js';
import type { Embedder } from '../../stages/embed/models/types.js';
import { registry } from '../../stages/index.js';
import { createMemoryStore } from '../../store/memory.js';
import type { ChunkStore } from '../../store/types.js';

export const NOW = Date.parse('2026-06-15T12:00:00Z');

/** Words of one line mean the same to the toy embedder; every other word has a direction of its own. */
const CONCEPTS = ['car automobile vehicle', 'doctor physician medic', 'fast quick rapid', 'begin start launch'].map(
  (line) => line.split(' ').map(stem),
);
const DIMENSIONS = 64;

/** Sums a unit direction for each word: texts are alike when they share words or concepts. */
export const toyEmbedder: Embedder = {
  id: 'toy',
  dimensions: DIMENSIONS,
  fingerprint: 'toy-1',
  embed: async (texts) => texts.map(toyVector),
};

function toyVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of words(text).map(stem)) {
    const concept = CONCEPTS.findIndex((line) => line.includes(word));
    const at = concept >= 0 ? concept : CONCEPTS.length + (hash(word) % (DIMENSIONS - CONCEPTS.length));
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector) || 1;
  return vector.map((x) => x / norm);
}

function hash(word: string): number {
  let h = 7;
  for (const character of word) h = (h * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return h;
}

export interface FixtureNote {
  readonly path: string;
  readonly text: string;
  readonly section?: string;
  readonly meta?: Partial<NoteMeta>;
  readonly links?: readonly string[];
}

/** Puts notes of one chunk each into a store, with vectors unless told otherwise. */
export async function fill(store: ChunkStore, notes: readonly FixtureNote[], embedder?: Embedder): Promise<void> {
  const space = embedder && { fingerprint: embedder.fingerprint, model: embedder.id, dimensions: embedder.dimensions };
  for (const { path, text, section = '', meta: given = {}, links = [] } of notes) {
    const meta: NoteMeta = { title: path.replace(/^.*\/|\.md$/g, ''), tags: [], ...given };
    const [vector] = (await embedder?.embed([text], 'document')) ?? [];
    await store.putNote(
      {
        file: { path, change: 'new', stat: { size: text.length, mtimeNs: '1' }, hash: '00' },
        meta,
        links: links.map((target): NoteLink => ({ target, embed: false, line: 1 })),
        chunks: [
          {
            index: 0,
            section,
            headingContext: headingContext(meta),
            text,
            lines: [1, text.split('\n').length],
            hash: Buffer.from(text.padEnd(16).slice(0, 16)).toString('hex'),
            ...(vector ? { vector } : {}),
          },
        ],
      },
      space,
    );
  }
}

export interface AskOptions {
  /** Pipeline text; `steps:` only, or a whole file. */
  readonly pipeline: string;
  readonly query: Partial<Query> & { readonly text: string };
  readonly notes?: readonly FixtureNote[];
  /** Default: the toy embedder. */
  readonly resources?: ResourceFactories;
  readonly overrides?: readonly string[];
}

/** Runs a query pipeline over notes in memory. */
export async function ask(options: AskOptions): Promise<RunResult<'Hit'> & { readonly hits: readonly Hit[] }> {
  const { pipeline, query, notes = [], overrides = [] } = options;
  const text = pipeline.startsWith('steps:')
    ? `version: 1\nname: t\nsummary: Test.\nmode: query\nreadOnly: true\n${pipeline}`
    : pipeline;
  const plan = loadPipeline({ file: 'test.yaml', text }, { registry, env: {}, overrides });
  const store = createMemoryStore();
  await fill(store, notes, toyEmbedder);
  const clock = { now: () => NOW };
  const resources = createResources({
    clock: () => clock,
    store: () => store,
    embedder: () => toyEmbedder,
    scrubber: () => createScrubber(loadSecrets({ env: {} })),
    ...options.resources,
  });
  const input = makeItem('Query', { filter: {}, limit: 10, ...query });
  const result = await runPlan<'Hit'>(plan, { resources, clock, input: [input], readOnly: true });
  return { ...result, hits: result.items.map((item) => item.data) };
}
