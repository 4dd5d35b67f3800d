/** How a vault differs from what is known of it, and which of the notes that are gone may be believed to be deleted. */
import { createHash } from 'node:crypto';
import { PipelineError } from '../../runner/errors.js';
import type { FileStat } from '../../runner/items.js';
import { syncConflict } from './conflicts.js';
import { mergeListings } from './merge-listings.js';
import { comparePaths } from './paths.js';
import type { Vault, VaultEntry } from './types.js';

/** A file as the index knows it. */
export interface KnownFile {
  readonly path: string;
  readonly stat: FileStat;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
}

/**
 * How far a known file is trusted: `stat` — unchanged size and time are proof enough; `hash` — its bytes must be
 * compared; `not` — it must be indexed again whatever its bytes are.
 */
export type Trust = 'stat' | 'hash' | 'not';

export interface VaultChanges<R extends KnownFile> {
  readonly added: Map<string, VaultEntry>;
  readonly changed: readonly { readonly entry: VaultEntry; readonly trust: Trust; readonly record: R }[];
  readonly missing: readonly R[];
  /** Sync-conflict copies, left out. */
  readonly conflicts: readonly string[];
  /** Places that could not be read, with reasons; folders end in `/`, the root is `.`. */
  readonly problems: ReadonlyMap<string, string>;
  /** Notes both in the vault and known. */
  readonly both: number;
}

/** Compares names, sizes and times; opens no file. Memory grows with the differences, not with the vault. */
export async function vaultChanges<R extends KnownFile>(
  vault: Vault,
  known: AsyncIterable<R>,
  trustOf: (record: R) => Trust,
): Promise<VaultChanges<R>> {
  const problems = new Map<string, string>();
  const walk = vault.walk((path, reason) => void problems.set(path, reason));
  return { ...(await compare(walk, known, trustOf)), problems };
}

/** The same for named paths only; `knownCount` is how many files are known in all. A path that became hidden counts as missing. */
export async function changesAt<R extends KnownFile>(
  paths: readonly string[],
  vault: Vault,
  known: (path: string) => Promise<R | undefined>,
  knownCount: number,
  trustOf: (record: R) => Trust,
): Promise<VaultChanges<R>> {
  const wanted = [...new Set(paths)].sort(comparePaths);
  async function* entries(): AsyncGenerator<VaultEntry> {
    for (const path of wanted) {
      const entry = vault.entry(path);
      if (entry) yield entry;
    }
  }
  async function* records(): AsyncGenerator<R> {
    for (const path of wanted) {
      const record = await known(path);
      if (record) yield record;
    }
  }
  const changes = await compare(entries(), records(), trustOf);
  return { ...changes, problems: new Map(), both: knownCount - changes.missing.length };
}

async function compare<R extends KnownFile>(
  entries: AsyncIterable<VaultEntry>,
  known: AsyncIterable<R>,
  trustOf: (record: R) => Trust,
): Promise<Omit<VaultChanges<R>, 'problems'>> {
  const added = new Map<string, VaultEntry>();
  const changed: { entry: VaultEntry; trust: Trust; record: R }[] = [];
  const missing: R[] = [];
  const conflicts: string[] = [];
  let both = 0;
  for await (const difference of mergeListings(entries, known)) {
    if (difference.kind === 'missing') missing.push(difference.record);
    else if (syncConflict(difference.entry.path)) {
      conflicts.push(difference.entry.path);
      if (difference.kind === 'both') missing.push(difference.record);
    } else if (difference.kind === 'new') added.set(difference.entry.path, difference.entry);
    else {
      both++;
      const { entry, record } = difference;
      const trust = trustOf(record);
      const same = entry.stat.mtimeNs === record.stat.mtimeNs && entry.stat.size === record.stat.size;
      if (trust !== 'stat' || !same) changed.push({ entry, trust, record });
    }
  }
  return { added, changed, missing, conflicts, both };
}

/** New paths that hold the bytes of a missing note. Only files of a missing note's size are read. */
export async function findRenames<R extends KnownFile>(
  vault: Vault,
  { added, missing }: Pick<VaultChanges<R>, 'added' | 'missing'>,
): Promise<ReadonlyMap<string, R>> {
  const free = new Map<string, R[]>();
  for (const record of missing) {
    const key = `${record.stat.size}:${record.hash}`;
    free.set(key, [...(free.get(key) ?? []), record]);
  }
  const sizes = new Set(missing.map((record) => record.stat.size));
  const renames = new Map<string, R>();
  for (const { path, stat } of added.values()) {
    if (!sizes.has(stat.size)) continue;
    const record = free.get(`${stat.size}:${await hashOf(vault, path)}`)?.shift();
    if (record) renames.set(path, record);
  }
  return renames;
}

async function hashOf(vault: Vault, path: string): Promise<string | undefined> {
  try {
    return createHash('sha256')
      .update(await vault.read(path))
      .digest('hex');
  } catch (error) {
    // It goes on as a new note; reading it there reports the failure with its reason.
    if (error instanceof PipelineError) return undefined;
    throw error;
  }
}

/** Fewer vanished notes than this are a tidy-up, whatever share of a small vault they are. */
const FEW_DELETIONS = 10;

export interface Deletions<R extends KnownFile> {
  readonly deleted: readonly R[];
  /** Missing notes that stay in the index because their folder could not be read. */
  readonly unread: number;
  /** Why nothing was deleted although notes are gone. */
  readonly refused?: 'vault-empty' | 'mass-deletion';
}

/**
 * Which missing notes count as deleted. Notes that `.indexignore` hides go at once, however many: hiding must work.
 * The others stay when the vault is empty, when more than `threshold` of the known notes are gone (an unmounted or
 * half-synced vault looks like that), and below folders that could not be read.
 */
export function decideDeletions<R extends KnownFile>(
  vault: Vault,
  changes: VaultChanges<R>,
  renamed: ReadonlyMap<string, R>,
  { threshold, allowAll }: { readonly threshold: number; readonly allowAll: boolean },
): Deletions<R> {
  const moved = new Set([...renamed.values()].map((record) => record.path));
  const unreadable = [...changes.problems.keys()];
  const isUnread = (path: string): boolean =>
    unreadable.some((at) => at === '.' || path === at || (at.endsWith('/') && path.startsWith(at)));
  const gone = changes.missing.filter(({ path }) => !moved.has(path));
  const hidden = gone.filter(({ path }) => vault.ignored(path));
  const lost = gone.filter(({ path }) => !vault.ignored(path) && !isUnread(path));
  const unread = gone.length - hidden.length - lost.length;
  const empty = changes.both + changes.added.size === 0;
  const share = lost.length / Math.max(1, changes.both + changes.missing.length);
  const believable = lost.length === 0 || (!empty && (lost.length < FEW_DELETIONS || share <= threshold));
  if (allowAll || believable) return { deleted: [...hidden, ...lost], unread };
  return { deleted: hidden, unread, refused: empty ? 'vault-empty' : 'mass-deletion' };
}
