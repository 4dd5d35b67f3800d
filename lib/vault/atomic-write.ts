/** Writes a file so that a crash leaves the old bytes or the new ones, never a mixture and never nothing. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Temporary files start with a dot, so vault walks, watchers and Obsidian itself pass them by. */
export const TEMP_PREFIX = '.sluice-tmp-';

let counter = 0;

/** Writes `data` beside `file`, flushes it, renames it over `file` and flushes the folder. */
export async function writeAtomic(file: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = dirname(file);
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
    const temp = join(folder, `${TEMP_PREFIX}${process.pid}-${++counter}`);
    try {
      return { temp, handle: await open(temp, 'wx', mode) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
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
