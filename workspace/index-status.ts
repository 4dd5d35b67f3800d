/** What the index holds and how far it lags behind the vault; reads only. */
import { statSync } from 'node:fs';
import { vaultChanges } from '../lib/vault/changes.js';
import { type Plan, stageSteps } from '../runner/plan.js';
import { openEmbedder } from '../stages/embed/models/open.js';
import type { ChunkStore, StoreCounts, VectorSpace } from '../store/types.js';
import { modelOptions } from './models/options.js';
import { type EmbeddingProgress, embeddingProgress } from './models/reembed.js';
import { isOnServer } from './server.js';
import type { Workspace } from './workspace.js';

/** Field names are those of `status --json` (CLI.md). */
export interface IndexStatus {
  readonly vault: string;
  readonly db: string;
  readonly notes: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly links: number;
  readonly model: { readonly id: string; readonly dimensions: number } | null;
  /** Vectors of the configured model that are still being made (`models use`); null when it is the one in use. */
  readonly embedding: EmbeddingProgress | null;
  /** Notes by class, and the highest class each way out may show. */
  readonly sensitivity: {
    readonly notes: StoreCounts['sensitivity'];
    readonly ceilings: Readonly<Record<string, string>>;
  };
  /** ISO 8601 UTC of the last finished index run. */
  readonly last_run: string | null;
  readonly pending: { readonly new: number; readonly changed: number; readonly deleted: number };
  /** On disk, with the write-ahead log. */
  readonly bytes: number;
}

/** Throws `store-missing` when there is no index yet, `vault-unreadable` when the vault cannot be listed. */
export async function indexStatus(workspace: Workspace): Promise<IndexStatus> {
  const store = await workspace.resources.use('store');
  const [counts, space, lastRun, pending] = [
    await store.counts(),
    await store.activeSpace(),
    await store.getMeta('last-run'),
    await pendingChanges(workspace, store),
  ];
  return {
    vault: workspace.vaultDir,
    db: store.shown ?? workspace.dbFile,
    notes: counts.notes,
    chunks: counts.chunks,
    vectors: counts.vectors,
    links: counts.links,
    model: space ? { id: space.model, dimensions: space.dimensions } : null,
    embedding: await comingModel(workspace, store, space),
    sensitivity: { notes: counts.sensitivity, ceilings: workspace.settings.sensitivity.ceilings },
    last_run: lastRun ?? null,
    pending,
    bytes: isOnServer(workspace.settings) ? counts.bytes : fileBytes(workspace.dbFile),
  };
}

/** How far the vectors of the configured model are while another one answers; a model that cannot be opened has none. */
async function comingModel(
  workspace: Workspace,
  store: ChunkStore,
  active: VectorSpace | undefined,
): Promise<EmbeddingProgress | null> {
  const { clock, config, env, offline, settings } = workspace;
  const { model } = settings.embed;
  if (!active || active.model === model) return null;
  try {
    const options = modelOptions({ places: workspace, clock, config, env, offline });
    const { fingerprint, dimensions } = await openEmbedder(model, options);
    return await embeddingProgress(store, { fingerprint, model, dimensions });
  } catch {
    // `doctor` says why; here it only means that nothing is on its way.
    return null;
  }
}

/** By names, sizes and times: a note that was only touched counts as changed until the next run looks at its bytes. */
export async function pendingChanges(workspace: Workspace, store: ChunkStore): Promise<IndexStatus['pending']> {
  const vault = await workspace.resources.use('vault');
  const { added, changed, missing } = await vaultChanges(vault, store.files(), () => 'stat');
  return { new: added.size, changed: changed.length, deleted: missing.length };
}

/** Size of the database with its log; 0 for what is not there. */
export function fileBytes(dbFile: string): number {
  return ['', '-wal']
    .map((suffix) => statSync(dbFile + suffix, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

/** The characters a chunk may hold by the plan's chunker; a chunker without a limit has none. */
export function chunkLimit(plan: Plan): number {
  const chunker = [...stageSteps(plan.steps)].find(({ stage }) => stage.gives === 'IndexedNote');
  return (chunker?.config as { max?: number } | undefined)?.max ?? Number.POSITIVE_INFINITY;
}
