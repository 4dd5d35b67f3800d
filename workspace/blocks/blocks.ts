/**
 * Prompt-cache blocks: built when they must be, left alone otherwise. A block is rebuilt when its time is up, when a
 * note in it changed, when another note would now be in it, or when its settings changed; its bytes stay the same as
 * long as what it holds does.
 */
import { createHash } from 'node:crypto';
import { type BlockSettings, blocksSchema } from '../../config/blocks.js';
import { ConfigError, suggest } from '../../runner/errors.js';
import type { Notice } from '../../runner/observe.js';
import type { Workspace } from '../workspace.js';
import { type Composed, compose, definitionOf } from './compose.js';
import { forgetOthers, readBlock, type StoredBlock, writeBlock } from './stored.js';

/** Why a block is not current. */
export type Staleness = 'never built' | 'settings changed' | 'expired' | 'notes changed' | 'other notes answer now';

export interface BlockState {
  readonly name: string;
  readonly settings: BlockSettings;
  /** As it stands on disk. */
  readonly stored: StoredBlock | undefined;
  readonly stale: Staleness | undefined;
}

export interface Refreshed {
  readonly block: StoredBlock;
  readonly settings: BlockSettings;
  /** What was done: `renewed` gave the same bytes another term. */
  readonly change: 'built' | 'renewed' | 'unchanged';
  readonly reason: Staleness | undefined;
  readonly notices: readonly Notice[];
}

const HOUR_MS = 3_600_000;

/**
 * The blocks of this vault, longest-lived first and then by name: the order they are given to a model in, so that a
 * change of one invalidates as little of a cached prefix as can be.
 * @throws {ConfigErrors} for a bad blocks.yaml; {ConfigError} `unknown-block`.
 */
export function blockSettings(workspace: Workspace, names: readonly string[] = []): [string, BlockSettings][] {
  const all = workspace.config('blocks', blocksSchema);
  for (const name of names) {
    if (!Object.hasOwn(all, name))
      throw new ConfigError('unknown-block', `There is no block named "${name}".`, {
        remedy: suggest(name, Object.keys(all)) || 'See `pipeline blocks list`.',
      });
  }
  return Object.entries(all)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .sort(([a, x], [b, y]) => y.ttl_hours - x.ttl_hours || (a < b ? -1 : 1));
}

/** How each block stands, without building any. */
export async function blockStates(workspace: Workspace, names?: readonly string[]): Promise<BlockState[]> {
  const states: BlockState[] = [];
  for (const [name, settings] of blockSettings(workspace, names)) {
    const stored = await readBlock(workspace, name);
    const stale = stored ? (await judge(workspace, stored, settings)).stale : 'never built';
    states.push({ name, settings, stored, stale });
  }
  return states;
}

export interface RefreshOptions {
  readonly names?: readonly string[];
  /** Build every block, current or not. */
  readonly force?: boolean;
  /** False: give what the blocks would be and write nothing. */
  readonly save?: boolean;
}

/** Brings blocks up to date and gives them in their order. */
export async function refreshBlocks(
  workspace: Workspace,
  { names = [], force = false, save = true }: RefreshOptions = {},
): Promise<Refreshed[]> {
  const refreshed: Refreshed[] = [];
  for (const [name, settings] of blockSettings(workspace, names)) {
    const one = await refresh(workspace, name, settings, force);
    if (save && one.write) await writeBlock(workspace, one.refreshed.block);
    refreshed.push(one.refreshed);
  }
  if (save && names.length === 0) await forgetOthers(workspace, new Set(refreshed.map(({ block }) => block.name)));
  return refreshed;
}

async function refresh(
  workspace: Workspace,
  name: string,
  settings: BlockSettings,
  force: boolean,
): Promise<{ refreshed: Refreshed; write: boolean }> {
  const stored = await readBlock(workspace, name);
  const { stale, composed, index }: Judged = stored
    ? await judge(workspace, stored, settings)
    : { stale: 'never built', index: await indexVersion(workspace) };
  if (stored && !stale && !force) {
    const block = stored.index === index ? stored : { ...stored, index };
    return {
      refreshed: { block, settings, change: 'unchanged', reason: undefined, notices: [] },
      write: block !== stored,
    };
  }
  const now = composed ?? (await compose(workspace, name, settings));
  const block = build(workspace, name, settings, now, index, stored);
  const same = stored?.sha256 === block.sha256;
  return {
    refreshed: { block, settings, change: same ? 'renewed' : 'built', reason: stale, notices: now.notices },
    write: true,
  };
}

function build(
  workspace: Workspace,
  name: string,
  settings: BlockSettings,
  { text, tokens, files, sources }: Composed,
  index: string,
  before: StoredBlock | undefined,
): StoredBlock {
  const now = workspace.clock.now();
  const built = new Date(now).toISOString();
  const sha256 = createHash('sha256').update(text).digest('hex');
  return {
    version: 1,
    name,
    definition: definitionOf(workspace, settings),
    query: settings.vault_query ?? null,
    text,
    tokens,
    sha256,
    files: [...files],
    sources: sources.map(({ file_path, section, lines }) => ({ file_path, section, lines: [...lines] })),
    built,
    expires: new Date(now + settings.ttl_hours * HOUR_MS).toISOString(),
    changed: before?.sha256 === sha256 ? before.changed : built,
    index,
  };
}

interface Judged {
  readonly stale: Staleness | undefined;
  /** What the block holds now, when it had to be asked to know. */
  readonly composed?: Composed;
  readonly index: string;
}

async function judge(workspace: Workspace, stored: StoredBlock, settings: BlockSettings): Promise<Judged> {
  const index = await indexVersion(workspace);
  if (stored.definition !== definitionOf(workspace, settings)) return { stale: 'settings changed', index };
  // A clock set back: a block built "in the future" is as good as expired.
  const now = workspace.clock.now();
  if (now >= Date.parse(stored.expires) || now < Date.parse(stored.built)) return { stale: 'expired', index };
  if (stored.index === index) return { stale: undefined, index };
  const store = await workspace.resources.use('store');
  for (const { path, hash } of stored.files) {
    if ((await store.file(path))?.hash !== hash) return { stale: 'notes changed', index };
  }
  const composed = await compose(workspace, stored.name, settings);
  const same = createHash('sha256').update(composed.text).digest('hex') === stored.sha256;
  return same ? { stale: undefined, index } : { stale: 'other notes answer now', composed, index };
}

async function indexVersion(workspace: Workspace): Promise<string> {
  return (await workspace.resources.use('store')).version();
}
