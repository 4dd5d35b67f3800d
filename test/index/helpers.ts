/** A vault and its index in a temporary folder, with a small deterministic embedder, for tests of whole index runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunReport } from '../../runner/observe.js';
import type { ResourceFactories } from '../../runner/resources.js';
import type { Embedder } from '../../stages/embed/models/types.js';
import type { ChunkStore } from '../../store/types.js';
import { openWorkspace, type RunRequest, type Workspace } from '../../workspace/workspace.js';

/** Hashes words into 16 dimensions and counts what it is asked. */
export function fakeEmbedder(id = 'fake', dimensions = 16): Embedder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    id,
    dimensions,
    fingerprint: `${id}-${dimensions}`,
    texts,
    async embed(given) {
      texts.push(...given);
      return given.map((text) => {
        const vector = new Float32Array(dimensions);
        for (const word of text.toLowerCase().split(/\W+/)) {
          let hash = 7;
          for (const c of word) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
          vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
        }
        const length = Math.hypot(...vector) || 1;
        return vector.map((x) => x / length);
      });
    },
  };
}

export interface TestVault {
  readonly dir: string;
  readonly vaultDir: string;
  readonly dbFile: string;
  put(path: string, text: string): void;
  open(resources?: ResourceFactories): Promise<Workspace>;
  /** One `index` run in a workspace of its own. */
  index(request?: RunRequest, resources?: ResourceFactories): Promise<RunReport>;
  /** Looks into the index as a reader. */
  read<T>(work: (store: ChunkStore) => Promise<T>): Promise<T>;
  remove(): void;
}

export function makeVault(embedder: Embedder = fakeEmbedder()): TestVault {
  const dir = mkdtempSync(join(tmpdir(), 'index-'));
  const vaultDir = join(dir, 'vault');
  const dbFile = join(dir, 'index.db');
  mkdirSync(join(vaultDir, '.pipeline'), { recursive: true });
  const open = (resources: ResourceFactories = {}): Promise<Workspace> =>
    openWorkspace({
      vault: vaultDir,
      db: dbFile,
      cwd: dir,
      env: {},
      stateDir: join(dir, 'state'),
      resources: { embedder: () => embedder, ...resources },
    });
  return {
    dir,
    vaultDir,
    dbFile,
    open,
    put(path, text) {
      mkdirSync(dirname(join(vaultDir, path)), { recursive: true });
      writeFileSync(join(vaultDir, path), text);
    },
    async index(request, resources) {
      const workspace = await open(resources);
      try {
        return (await workspace.run('index', request)).report;
      } finally {
        await workspace.close();
      }
    },
    async read(work) {
      const { openSqliteStore } = await import('../../store/sqlite/store.js');
      const store = await openSqliteStore({ file: dbFile, readOnly: true });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A note with two sections whose words are its own. */
export function noteText(name: string, extra = ''): string {
  return `---\ntags: [t]\n---\n# ${name}\n\n## First of ${name}\n\nThe first section of ${name} has words enough.\n\n## Second of ${name}\n\nThe second section of ${name} has words enough. ${extra}\n`;
}
