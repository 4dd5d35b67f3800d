/** Where built blocks are kept: one JSON file each beside the index, written whole or not at all. */
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from '../../lib/vault/atomic-write.js';
import type { Workspace } from '../workspace.js';

const storedSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  /** Fingerprint of its settings. */
  definition: z.string(),
  query: z.string().nullable(),
  text: z.string(),
  tokens: z.number(),
  /** Of the text, hex. */
  sha256: z.string(),
  files: z.array(z.object({ path: z.string(), hash: z.string() })),
  sources: z.array(z.object({ file_path: z.string(), section: z.string(), lines: z.tuple([z.number(), z.number()]) })),
  /** ISO 8601, as are the following. */
  built: z.string(),
  expires: z.string(),
  /** When the text last became another. */
  changed: z.string(),
  /** State of the index that was asked. */
  index: z.string(),
});

export type StoredBlock = z.output<typeof storedSchema>;

const folderOf = ({ dbFile }: Pick<Workspace, 'dbFile'>): string => dbFile.replace(/(\.(db|sqlite3?))?$/, '.blocks');

/** Undefined when it was never built, or by another version of this program. */
export async function readBlock(workspace: Workspace, name: string): Promise<StoredBlock | undefined> {
  try {
    return storedSchema.parse(JSON.parse(await readFile(join(folderOf(workspace), `${name}.json`), 'utf8')));
  } catch {
    // Derived data: what cannot be read is built again.
    return undefined;
  }
}

export async function writeBlock(workspace: Workspace, block: StoredBlock): Promise<void> {
  const folder = folderOf(workspace);
  await mkdir(folder, { recursive: true });
  await writeAtomic(join(folder, `${block.name}.json`), `${JSON.stringify(block, undefined, 2)}\n`);
}

/** Forgets blocks that the settings no longer name. */
export async function forgetOthers(workspace: Workspace, names: ReadonlySet<string>): Promise<void> {
  const folder = folderOf(workspace);
  const files = await readdir(folder).catch(() => []);
  for (const file of files) {
    if (file.endsWith('.json') && !names.has(file.slice(0, -'.json'.length))) await unlink(join(folder, file));
  }
}
