/** Models on this machine: one folder each below the state folder, whole or not there at all. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({
  id: z.string(),
  /** Where the files came from, for people. */
  origin: z.string(),
  /** SHA-256 by file name. */
  files: z.record(z.string(), z.string()),
});

export type Manifest = z.output<typeof manifestSchema>;

export const MANIFEST = 'manifest.json';

export interface InstalledModel {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Changes when any file does. */
  readonly version: string;
}

export function modelFolder(modelsDir: string, id: string): string {
  return join(modelsDir, id);
}

/** The model's folder and manifest, or undefined when it was not pulled, or not by a version that wrote this manifest. */
export function findInstalled(modelsDir: string, id: string): InstalledModel | undefined {
  const folder = modelFolder(modelsDir, id);
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) return undefined;
  const parsed = manifestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success || Object.keys(parsed.data.files).some((name) => !existsSync(join(folder, name))))
    return undefined;
  const version = Object.entries(parsed.data.files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hash]) => `${name} ${hash}`)
    .join('\n');
  return { folder, manifest: parsed.data, version };
}
