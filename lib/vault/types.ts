/** File access to one vault: paths are vault-relative with forward slashes; nothing outside the vault is ever touched. */
import type { FileStat } from '../../runner/items.js';

export interface VaultEntry {
  readonly path: string;
  readonly stat: FileStat;
}

export interface Vault {
  /** Absolute path of the root. */
  readonly root: string;
  /** Markdown files that `.indexignore` allows, ordered by path; unreadable folders are reported, not thrown. */
  walk(onProblem: (path: string, reason: string) => void): AsyncIterable<VaultEntry>;
  /** What `walk` would give for this path; undefined for hidden, linked, absent and other than Markdown files. */
  entry(path: string): VaultEntry | undefined;
  /** Bytes of a file; rejects with `path-outside`, `path-ignored`, `not-found`. */
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat | undefined>;
  exists(path: string): Promise<boolean>;
  /** True when `.indexignore` (or the built-in rules) hides the path; a trailing slash asks about a folder. */
  ignored(path: string): boolean;
  /** Writes atomically: temporary file in the same folder, fsync, rename, fsync of the folder. */
  write(path: string, text: string): Promise<FileStat>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    vault: Vault;
  }
}
