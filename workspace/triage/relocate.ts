/** Moves a note and says in its frontmatter where it belongs now; nothing else of it changes. */
import { basename } from 'node:path/posix';
import { exactText } from '../../lib/note/text.js';
import { setFrontmatterKey } from '../../lib/vault/frontmatter.js';
import type { Vault } from '../../lib/vault/types.js';
import { PipelineError } from '../../runner/errors.js';
import type { FileChange, Ledger } from '../../store/ledger.js';

/** Frontmatter keys that say where a note belongs. */
export interface Belonging {
  readonly domain: string;
  readonly status: 'active' | 'draft';
}

/** Moves the note into the folder (under a free name) and sets its two keys. Throws `not-text`, `not-found`. */
export async function relocate(
  vault: Vault,
  note: string,
  folder: string,
  belonging: Belonging,
): Promise<readonly FileChange[]> {
  const before = await readText(vault, note);
  if (before === undefined) throw new PipelineError('not-found', `There is no note ${note}.`, { file: note });
  const after = withKeys(before, belonging);
  const target = note.startsWith(`${folder}/`) ? note : await freePath(vault, `${folder}/${basename(note)}`);
  // First the move, then the keys: were it interrupted in between, the note is seen as moved by the user.
  if (target !== note) await vault.rename(note, target);
  if (after !== before) await vault.write(target, after);
  if (target === note) return after === before ? [] : [{ path: note, before, after }];
  return [
    { path: note, before, after: null },
    { path: target, before: null, after },
  ];
}

/** A malformed frontmatter block stays as it is. */
function withKeys(text: string, { domain, status }: Belonging): string {
  const placed = setFrontmatterKey(text, 'domain', domain) ?? text;
  return setFrontmatterKey(placed, 'status', status) ?? placed;
}

/**
 * What was last written moves along with a note, unchanged: against it the new domain and status are edits of the
 * user's, which a later update of the article keeps. `was` undoes `written`.
 */
export async function moveBaselines(ledger: Ledger, moves: readonly (readonly FileChange[])[]) {
  const written: { path: string; text: string | undefined }[] = [];
  const was: { path: string; text: string | null }[] = [];
  for (const files of moves) {
    const gone = files.find((file) => file.after === null);
    const come = files.find((file) => file.after !== null && file.path !== gone?.path);
    const base = gone && (await ledger.lastWritten(gone.path));
    if (!gone || base === undefined) continue;
    was.push({ path: gone.path, text: base });
    written.push({ path: gone.path, text: undefined });
    if (!come) continue;
    was.push({ path: come.path, text: null });
    written.push({ path: come.path, text: base });
  }
  return { written, was };
}

/** Text of a note; undefined when there is none. Throws `not-text` for a file that could not be put back as it was. */
export async function readText(vault: Vault, path: string): Promise<string | undefined> {
  if (!(await vault.exists(path))) return undefined;
  const text = exactText(await vault.read(path));
  if (text !== undefined) return text;
  throw new PipelineError('not-text', `${path} is not UTF-8 text; it is left as it is.`, {
    file: path,
    remedy: 'Save it as UTF-8, or move it by hand.',
  });
}

/** `name.md`, else `name 2.md` and so on. */
async function freePath(vault: Vault, wanted: string): Promise<string> {
  const stem = wanted.replace(/\.md$/, '');
  for (let n = 1; ; n++) {
    const path = n === 1 ? wanted : `${stem} ${n}.md`;
    if (!(await vault.exists(path))) return path;
  }
}
