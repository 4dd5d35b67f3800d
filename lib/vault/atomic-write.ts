/** Writes a file so that a crash leaves the old bytes or the new ones, never a mixture and never nothing. */
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

/** Temporary files start with a dot, so vault walks, watchers and Obsidian itself pass them by. */
export const TEMP_PREFIX = '.sluice-tmp-';

/** A shared folder may hold files of another machine, whose processes we cannot ask about. */
const OURS = `${TEMP_PREFIX}${hostname().replace(/[^a-z0-9]+/gi, '_')}-`;

let counter = 0;
const swept = new Set<string>();

/** Writes `data` beside `file`, flushes it, renames it over `file` and flushes the folder. */
export async function writeAtomic(file: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = dirname(file);
  await sweep(folder);
  const { temp, handle } = await openTemp(folder, mode);
  try {
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, file);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** A temporary file of our own; one left behind by a killed process that had our pid is passed over. */
async function openTemp(folder: string, mode: number): Promise<{ temp: string; handle: FileHandle }> {
  for (;;) {
    const temp = join(folder, `${OURS}${process.pid}-${++counter}`);
    try {
      return { temp, handle: await open(temp, 'wx', mode) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Takes away what killed processes left half-written; once a folder, before the first write to it. */
async function sweep(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(OURS)) continue;
    const pid = Number.parseInt(name.slice(OURS.length), 10);
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Makes a rename survive power loss. Windows cannot open folders; there the rename is journalled by NTFS itself. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  } finally {
    await handle?.close();
  }
}
