/** Measures search: on a BEIR folder indexed for the purpose, or on a vault's own index and questions. */
import { createHash } from 'node:crypto';
import { splitText } from '../lib/chunk/split.js';
import type { Collection, EvalDocument, EvalQuery } from '../lib/eval/collection.js';
import { type Arm, type Evaluation, evaluate } from '../lib/eval/evaluate.js';
import { createGrep } from '../lib/eval/grep.js';
import { parseQuery } from '../lib/query/parse.js';
import { queryVector } from '../lib/query/query-vector.js';
import { fuseRanks } from '../lib/ranking/rrf.js';
import { describeError } from '../runner/errors.js';
import { type Hit, type IndexedNote, makeItem, type Query } from '../runner/items.js';
import type { Plan } from '../runner/plan.js';
import type { Resources, ResourceTypes } from '../runner/resources.js';
import { runPlan } from '../runner/run.js';
import type { Embedder } from '../stages/embed/models/types.js';
import { openSqliteStore } from '../store/sqlite/store.js';
import type { ChunkStore } from '../store/types.js';

/** Deep enough for recall@100. */
const DEPTH = 100;
/** What each leg of the pipelines gives to fusion (SPEC 22). */
const FUSED = 30;
const CHUNK_LIMIT = 2000;
/** Notes in one transaction while a collection is indexed. */
const BATCH = 256;

export interface EvaluationSetup {
  /** Resources for the pipeline; its `store` is replaced when a collection is measured. */
  readonly resources: Resources;
  /** The search pipeline under test. */
  readonly plan: Plan;
  readonly now: () => number;
  readonly onNotice: (message: string) => void;
}

/**
 * Indexes a collection for the purpose and measures every arm on it.
 * @param server URL of a PostgreSQL database to do it in, in a schema that is dropped afterwards; default: memory.
 */
export async function evaluateCollection(
  collection: Collection,
  setup: EvaluationSetup,
  server?: string,
): Promise<Evaluation> {
  const embedder = await embedderOf(setup);
  const store = await temporaryStore(server);
  try {
    const names = await indexCollection(collection.documents, store, embedder);
    const resources = withStore(setup.resources, store);
    const arms = armsOf(
      { ...setup, resources },
      store,
      embedder,
      collection.documents,
      (path) => names.get(path) ?? path,
    );
    return await evaluate(collection.name, collection.queries, arms, setup.now);
  } finally {
    await store.close();
  }
}

async function temporaryStore(server: string | undefined): Promise<ChunkStore> {
  if (server === undefined) return openSqliteStore({ file: ':memory:' });
  const { openTemporaryPgStore } = await import('../store/pgvector/temporary.js');
  return openTemporaryPgStore(server);
}

/** Measures every arm on the vault's own index. Answers are notes. */
export async function evaluateVault(
  name: string,
  queries: readonly EvalQuery[],
  setup: EvaluationSetup,
): Promise<Evaluation> {
  const store = await setup.resources.use('store');
  const documents: EvalDocument[] = [];
  for await (const { path } of store.files()) {
    const chunks = await store.chunksOf(path);
    documents.push({ id: path, text: chunks.map((chunk) => chunk.text).join('\n') });
  }
  const arms = armsOf(setup, store, await embedderOf(setup), documents, (path) => path);
  return evaluate(name, queries, arms, setup.now);
}

async function embedderOf({ resources, onNotice }: EvaluationSetup): Promise<Embedder | undefined> {
  try {
    return await resources.use('embedder');
  } catch (error) {
    onNotice(`Measured without vectors: ${describeError(error)}`);
    return undefined;
  }
}

/** The same resources with another store. */
function withStore(resources: Resources, store: ChunkStore): Resources {
  return {
    ...resources,
    use: <N extends keyof ResourceTypes & string>(name: N) =>
      name === 'store' ? Promise.resolve(store as ResourceTypes[N]) : resources.use(name),
  };
}

/** Puts each document in as a note; gives back which document each path stands for. */
async function indexCollection(
  documents: readonly EvalDocument[],
  store: ChunkStore,
  embedder: Embedder | undefined,
): Promise<ReadonlyMap<string, string>> {
  const space = embedder && { fingerprint: embedder.fingerprint, model: embedder.id, dimensions: embedder.dimensions };
  const names = new Map<string, string>();
  for (let at = 0; at < documents.length; at += BATCH) {
    const batch = documents.slice(at, at + BATCH);
    const pieces = batch.map(({ text }) => splitText(text, CHUNK_LIMIT));
    const texts = pieces.flat().map((piece) => piece.text);
    const vectors = await embedder?.embed(texts, 'document');
    let next = 0;
    await store.transaction(async () => {
      for (const [i, { id }] of batch.entries()) {
        // The path is searchable, so it must not hold words that a query could.
        const path = `q7x${at + i}`;
        names.set(path, id);
        const chunks = (pieces[i] ?? []).map((piece, index) => {
          const vector = vectors?.[next++];
          return {
            index,
            section: '',
            headingContext: '',
            text: piece.text,
            lines: [piece.from, piece.to] as const,
            hash: createHash('sha256').update(piece.text).digest('hex'),
            ...(vector ? { vector } : {}),
          };
        });
        await store.putNote(noteOf(path, chunks), space);
      }
    });
  }
  await store.optimize();
  return names;
}

function noteOf(path: string, chunks: IndexedNote['chunks']): IndexedNote {
  return {
    file: { path, change: 'new', stat: { size: 0, mtimeNs: '0' }, hash: '' },
    meta: { title: '', tags: [] },
    chunks,
    links: [],
  };
}

function armsOf(
  setup: EvaluationSetup,
  store: ChunkStore,
  embedder: Embedder | undefined,
  documents: readonly EvalDocument[],
  idOf: (path: string) => string,
): Arm[] {
  const ids = (hits: readonly Hit[]): string[] => [...new Set(hits.map((hit) => idOf(hit.path)))];
  const byText = async (text: string, top: number): Promise<readonly Hit[]> =>
    store.matchText(parseQuery(text, { stemmer: await store.stemmer?.() }), {
      top,
      filter: {},
      weights: [1, 0.5, 0.3],
    });
  const byMeaning = async (text: string, top: number): Promise<readonly Hit[]> => {
    const vector = embedder && (await queryVector(questionOf(text), embedder));
    return vector ? store.matchVector(vector, { top, filter: {}, fingerprint: embedder.fingerprint }) : [];
  };
  const grep = createGrep(documents);
  return [
    { name: 'grep', rank: async (text) => grep(text, DEPTH) },
    { name: 'bm25', rank: async (text) => ids(await byText(text, DEPTH)) },
    { name: 'vector', rank: async (text) => ids(await byMeaning(text, DEPTH)) },
    {
      name: 'rrf',
      rank: async (text) => {
        const lists = [await byText(text, FUSED), await byMeaning(text, FUSED)];
        return fuseRanks(
          lists.map((hits) => ({ weight: 1, ids: ids(hits) })),
          60,
        ).map(({ id }) => id);
      },
    },
    {
      name: 'search',
      rank: async (text) => {
        const { items } = await runPlan<'Hit'>(setup.plan, {
          resources: setup.resources,
          clock: await setup.resources.use('clock'),
          input: [makeItem('Query', questionOf(text))],
          readOnly: true,
        });
        return ids(items.map((item) => item.data));
      },
    },
  ];
}

function questionOf(text: string): Query {
  return { text, filter: {}, limit: DEPTH, maxTokens: Number.MAX_SAFE_INTEGER };
}
