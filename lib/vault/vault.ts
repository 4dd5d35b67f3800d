/** The vault on a local disk: every path is checked against links, loops and `.indexignore` before a byte is read. */
import {
  type BigIntStats,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { messageOf, PipelineError } from '../../runner/errors.js';
import type { FileStat } from '../../runner/items.js';
import { syncFolder, writeAtomic } from './atomic-write.js';
import { IGNORE_FILE, type IgnoreRules, ignoreRules } from './ignore-rules.js';
import { cleanPath, comparePaths, isMarkdownPath, outside } from './paths.js';
import type { Vault, VaultEntry } from './types.js';

/**
 * Opens a vault folder.
 * @throws {PipelineError} `vault-missing` or `vault-unreadable` when the root cannot be listed.
 */
export function openVault(root: string): Vault {
  return new LocalVault(realRoot(root));
}

function realRoot(root: string): string {
  try {
    const real = realpathSync(root);
    readdirSync(real);
    return real;
  } catch (error) {
    const missing = codeOf(error) === 'ENOENT';
    throw new PipelineError(
      missing ? 'vault-missing' : 'vault-unreadable',
      `The vault ${root} ${missing ? 'does not exist' : `cannot be read (${codeOf(error)})`}. Nothing was changed.`,
      { remedy: 'Mount it, or check its path and permissions.', cause: error, fatal: true },
    );
  }
}

// Node types the flag as a string, but the numeric form is documented and the only way to name O_NOFOLLOW.
const READ_NO_FOLLOW = (constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)) as unknown as string;

/** Files handled between two turns of the event loop while walking: about 5 ms of work. */
const WALK_SLICE = 500;

class LocalVault implements Vault {
  private rulesKey = '';
  private rules: IgnoreRules = ignoreRules('');

  constructor(readonly root: string) {}

  /**
   * Synchronous inside a slice on purpose: 17,000 asynchronous `lstat` calls take 0.9 s of thread pool traffic on two
   * cores, the synchronous ones 0.15 s. Links are not followed: a link into the vault names a file that is walked at
   * its own path, any other link leads out of the vault.
   */
  async *walk(onProblem: (path: string, reason: string) => void): AsyncGenerator<VaultEntry> {
    realRoot(this.root);
    const rules = this.currentRules();
    let slice = 0;
    const folders = [''];
    const pending: { path: string; folder: boolean }[] = [];
    while (folders.length > 0 || pending.length > 0) {
      const folder = folders.pop();
      if (folder !== undefined) pending.push(...this.list(folder, rules, onProblem).reverse());
      const next = pending.pop();
      if (!next) continue;
      if (next.folder) {
        folders.push(next.path);
        continue;
      }
      const stat = this.statFile(next.path, onProblem);
      if (stat) yield { path: next.path, stat };
      if (++slice % WALK_SLICE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Visible entries of one folder, in the order that makes the whole walk ordered by path: `a.md` before `a/b.md`. */
  private list(
    folder: string,
    rules: IgnoreRules,
    onProblem: (path: string, reason: string) => void,
  ): { path: string; folder: boolean }[] {
    const entries: { path: string; folder: boolean; key: string }[] = [];
    try {
      for (const entry of readdirSync(join(this.root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isSymbolicLink()) this.reportLink(path, rules, onProblem);
        else if (entry.isDirectory()) {
          if (!rules.hidesFolder(path)) entries.push({ path, folder: true, key: `${entry.name}/` });
        } else if (isMarkdownPath(entry.name) && !rules.hides(path))
          entries.push({ path, folder: false, key: entry.name });
      }
    } catch (error) {
      onProblem(folder === '' ? '.' : `${folder}/`, `cannot be listed (${codeOf(error)})`);
      return [];
    }
    return entries.sort((a, b) => comparePaths(a.key, b.key));
  }

  private reportLink(path: string, rules: IgnoreRules, onProblem: (path: string, reason: string) => void): void {
    if (rules.hides(path)) return;
    try {
      if (this.inside(realpathSync(join(this.root, path))) === undefined)
        onProblem(path, 'is a link out of the vault and is not followed');
    } catch (error) {
      onProblem(path, codeOf(error) === 'ELOOP' ? 'is a link loop' : 'is a dangling link');
    }
  }

  private statFile(path: string, onProblem: (path: string, reason: string) => void): FileStat | undefined {
    try {
      const stat = lstatSync(join(this.root, path), { bigint: true });
      return stat.isFile() ? toStat(stat) : undefined;
    } catch (error) {
      // Gone since the folder was listed: the next run sees it as deleted, this one need not mention it.
      if (codeOf(error) !== 'ENOENT') onProblem(path, `cannot be examined (${codeOf(error)})`);
      return undefined;
    }
  }

  entry(path: string): VaultEntry | undefined {
    realRoot(this.root);
    if (!isMarkdownPath(path) || this.currentRules().hides(path)) return undefined;
    const file = join(this.root, path);
    // Another real path means a link on the way, or another spelling where the disk ignores case.
    if (realPath(file) !== file) return undefined;
    const stat = lstatSync(file, { bigint: true });
    return stat.isFile() ? { path, stat: toStat(stat) } : undefined;
  }

  /**
   * Synchronous inside, as the walk is: four thread pool round trips a note cost 0.9 ms on two busy cores, the calls
   * themselves 0.05 ms. The longest pause is one note of `maxNoteBytes`, about 3 ms.
   */
  async read(path: string): Promise<Uint8Array> {
    const file = this.locate(path);
    try {
      // O_NOFOLLOW: the file was resolved just now; a link that took its place since is refused, not followed.
      return readFileSync(file, { flag: READ_NO_FOLLOW });
    } catch (error) {
      throw readError(path, error);
    }
  }

  async stat(path: string): Promise<FileStat | undefined> {
    try {
      const stat = lstatSync(this.locate(path), { bigint: true });
      return stat.isFile() ? toStat(stat) : undefined;
    } catch (error) {
      if (error instanceof PipelineError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== undefined;
  }

  ignored(path: string): boolean {
    try {
      const rules = this.currentRules();
      return path.endsWith('/') ? rules.hidesFolder(cleanPath(path)) : rules.hides(cleanPath(path));
    } catch (error) {
      if (error instanceof PipelineError && error.code === 'path-outside') return true;
      throw error;
    }
  }

  async write(path: string, text: string): Promise<FileStat> {
    const file = this.writable(path);
    const old = await lstat(file).catch(() => undefined);
    await writeAtomic(file, text, old ? old.mode & 0o777 : 0o644);
    return toStat(await lstat(file, { bigint: true }));
  }

  /** Refuses to replace another note; changing only the case of a name is allowed where the disk ignores case. */
  async rename(from: string, to: string): Promise<void> {
    const source = this.locate(from);
    const target = this.writable(to);
    const [old, existing] = await Promise.all([lstat(source), lstat(target).catch(() => undefined)]);
    if (existing && (existing.ino !== old.ino || existing.dev !== old.dev)) {
      throw new PipelineError('path-exists', `${to} exists already; ${from} was not renamed.`, {
        remedy: 'Choose another name.',
      });
    }
    await rename(source, target);
    await syncFolder(dirname(target));
    if (dirname(source) !== dirname(target)) await syncFolder(dirname(source));
  }

  async remove(path: string): Promise<void> {
    const file = this.locate(path);
    await unlink(file);
    await syncFolder(dirname(file));
  }

  /** Absolute real path of an existing, visible file. */
  private locate(path: string): string {
    const clean = cleanPath(path);
    const rules = this.currentRules();
    if (rules.hides(clean)) throw hidden(path);
    const real = this.resolve(clean);
    // A folder or a pipe is no note; reading a pipe would wait for ever.
    if (real === undefined || !statSync(real, { throwIfNoEntry: false })?.isFile())
      throw new PipelineError('not-found', `There is no file ${path} in the vault.`, {
        remedy: 'Check the spelling, or list the folder.',
      });
    const inside = this.inside(real);
    if (inside === undefined) throw outside(path);
    if (rules.hides(inside)) throw hidden(path);
    return real;
  }

  /**
   * Finds the file as named, else under another Unicode normal form: macOS writes decomposed names that everyone then
   * types composed.
   */
  private resolve(path: string): string | undefined {
    const direct = realPath(join(this.root, path));
    if (direct !== undefined || !/[^\0-\x7f]/.test(path)) return direct;
    let at = this.root;
    for (const part of path.split('/')) {
      const names = namesIn(at);
      const wanted = part.normalize('NFC');
      const name = names.includes(part) ? part : names.find((n) => n.normalize('NFC') === wanted);
      if (name === undefined) return undefined;
      at = join(at, name);
    }
    return realPath(at);
  }

  /** Absolute path to write to; folders are made, links that lead out are refused. */
  private writable(path: string): string {
    const clean = cleanPath(path);
    if (clean === '') throw outside(path);
    if (this.currentRules().hides(clean)) throw hidden(path);
    const existing = this.resolve(clean);
    if (existing !== undefined) {
      if (this.inside(existing) === undefined) throw outside(path);
      return existing;
    }
    this.makeFolder(dirname(clean), path);
    return join(this.root, clean);
  }

  /** Checks the nearest existing ancestor before anything is made: a linked folder must not lead out of the vault. */
  private makeFolder(folder: string, path: string): void {
    for (let at = folder; at !== '.'; at = dirname(at)) {
      const real = realPath(join(this.root, at));
      if (real === undefined) continue;
      if (this.inside(real) === undefined) throw outside(path);
      break;
    }
    mkdirSync(join(this.root, folder), { recursive: true });
  }

  /** Vault-relative form of an absolute real path; undefined when it lies outside. */
  private inside(real: string): string | undefined {
    const path = relative(this.root, real);
    if (path === '..' || path.startsWith(`..${sep}`) || path.startsWith(sep) || /^[a-z]:/i.test(path)) return undefined;
    return sep === '/' ? path : path.replaceAll(sep, '/');
  }

  /** The rules as `.indexignore` has them now: a long-lived process must not go on showing what was hidden since. */
  private currentRules(): IgnoreRules {
    const file = join(this.root, IGNORE_FILE);
    try {
      const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
      const key = stat ? `${stat.mtimeNs}:${stat.size}:${stat.ino}` : '';
      if (key !== this.rulesKey) {
        this.rules = ignoreRules(stat ? readFileSync(file, 'utf8') : '');
        this.rulesKey = key;
      }
      return this.rules;
    } catch (error) {
      throw new PipelineError('ignore-unreadable', `${IGNORE_FILE} cannot be read: ${messageOf(error)}.`, {
        file,
        remedy: 'Make it readable; until then nothing is read, because it may hide private notes.',
        cause: error,
        fatal: true,
      });
    }
  }
}

function toStat(stat: BigIntStats): FileStat {
  return { size: Number(stat.size), mtimeNs: stat.mtimeNs.toString() };
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? messageOf(error);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))) return undefined;
    throw readError(path, error);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function hidden(path: string): PipelineError {
  return new PipelineError('path-ignored', `${path} is hidden by ${IGNORE_FILE} or is not part of the vault.`, {
    remedy: `Change ${IGNORE_FILE} if it should be visible.`,
  });
}

function readError(path: string, error: unknown): PipelineError {
  const code = codeOf(error);
  if (code === 'ENOENT')
    return new PipelineError('not-found', `${path} vanished while it was read.`, { cause: error, transient: true });
  return new PipelineError('unreadable', `${path} cannot be read (${code}).`, {
    remedy: 'Check its permissions.',
    cause: error,
  });
}
