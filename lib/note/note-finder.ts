/**
 * Finds the notes we wrote by the `id` in their frontmatter. The vault itself is the index: after a crash before the
 * ledger was told, after a rename or a move, the note is still the note.
 */
import { readFrontmatter } from '../vault/frontmatter.js';
import type { Vault } from '../vault/types.js';
import { foldedPath } from './file-name.js';

/** One run's view of the vault; folders are read when they are first asked about. */
export class NoteFinder {
  private readonly byId = new Map<string, string>();
  private readonly taken = new Set<string>();
  private home: Promise<void> | undefined;
  private everything: Promise<void> | undefined;

  /** @param folders where notes are written to; only these are read to find out that a note is new. */
  constructor(
    private readonly vault: Vault,
    private readonly folders: readonly string[],
  ) {}

  /** Path of the note with this id among the folders notes are written to. */
  async find(id: string): Promise<string | undefined> {
    this.home ??= this.read((path) => this.isHome(path));
    await this.home;
    return this.byId.get(id);
  }

  /** The same in the whole vault: for a note that was known to exist. 17,000 notes take about two seconds. */
  async findAnywhere(id: string): Promise<string | undefined> {
    const near = await this.find(id);
    if (near !== undefined) return near;
    this.everything ??= this.read((path) => !this.isHome(path));
    await this.everything;
    return this.byId.get(id);
  }

  /** True when a file lies at the path, also on file systems that ignore case. */
  async isTaken(path: string): Promise<boolean> {
    return this.taken.has(foldedPath(path)) || (await this.vault.exists(path));
  }

  /** Tells the finder about a note just written. */
  add(path: string, id: string | undefined): void {
    this.taken.add(foldedPath(path));
    if (id !== undefined) this.byId.set(id, path);
  }

  private isHome(path: string): boolean {
    return this.folders.some((folder) => folder === '' || path.startsWith(`${folder}/`));
  }

  private async read(wanted: (path: string) => boolean): Promise<void> {
    for await (const { path } of this.vault.walk(() => undefined)) {
      if (!wanted(path)) continue;
      this.taken.add(foldedPath(path));
      const id = await this.idOf(path);
      // Two copies of one note (a sync conflict): the first by path is taken, whatever the order of writing.
      if (id !== undefined && !this.byId.has(id)) this.byId.set(id, path);
    }
  }

  private async idOf(path: string): Promise<string | undefined> {
    try {
      return noteId(new TextDecoder().decode(await this.vault.read(path)));
    } catch {
      // Unreadable or gone: whatever it is, it is not a note we can update.
      return undefined;
    }
  }
}

/** The `id` of a note's frontmatter. A cheap look first: parsing the YAML of every note would cost a hundred times more. */
export function noteId(text: string): string | undefined {
  if (!/^(?:\uFEFF)?---/.test(text) || !/^id:/m.test(text)) return undefined;
  const { id } = readFrontmatter(text).data;
  return typeof id === 'string' ? id : undefined;
}
