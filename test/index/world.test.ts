/** What the world does to an index: a full disk, folders that cannot be read. Nothing is lost, and it is said. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/store.js';
import { makeVault, noteText, type TestVault } from './helpers.js';

let vault: TestVault;
beforeEach(() => {
  vault = makeVault();
  for (let i = 0; i < 40; i++) vault.put(`d${i % 4}/n${i}.md`, noteText(`n${i}`));
});
afterEach(() => vault.remove());

const notes = async (): Promise<number> => (await vault.read((store) => store.counts())).notes;

describe('a full disk', () => {
  /** A store whose file may not grow beyond `pages`: SQLite then reports what it reports for a full disk. */
  const limited = (pages: number) => ({
    store: async () => {
      const store = await openSqliteStore({ file: vault.dbFile });
      store.db.pragma(`max_page_count = ${pages}`);
      return store;
    },
  });

  test('stops the run with a remedy; whole notes stay; the next run goes on', async () => {
    await vault.index();
    for (let i = 0; i < 40; i++) vault.put(`e/m${i}.md`, noteText(`m${i}`, 'more of it '.repeat(400)));
    const pages = await vault.read(async (store) => Math.ceil((await store.counts()).bytes / 4096));
    await expect(vault.index({}, limited(pages + 40))).rejects.toMatchObject({
      code: 'disk-full',
      remedy: expect.stringContaining('Free some space'),
    });
    const kept = await notes();
    expect(kept).toBeGreaterThanOrEqual(40);
    expect(kept).toBeLessThan(80);
    await vault.read(async (store) => {
      for await (const file of store.files()) expect(await store.chunksOf(file.path)).toHaveLength(file.chunks);
    });
    expect(await vault.index()).toMatchObject({ failed: [], written: 80 - kept });
    expect(await vault.index()).toMatchObject({ in: 0 });
  });
});

describe('folders that cannot be read', () => {
  const NOBODY = 65_534;
  const root = process.getuid?.() === 0;

  /** The command line as a user whom permissions bind. */
  function run(...args: string[]): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [resolve('dist/cli/main.js'), ...args], {
      encoding: 'utf8',
      cwd: vault.dir,
      env: { PATH: process.env['PATH'], HOME: vault.dir, SLUICE_STATE: join(vault.dir, 'state') },
      ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  }
  const index = () => {
    const { stdout, status, stderr } = run('index', '--vault', vault.vaultDir, '--db', vault.dbFile, '--json');
    return { status, stderr, report: stdout.startsWith('{') ? JSON.parse(stdout) : undefined };
  };

  test('keep their notes and vectors, are named, and cost nothing when they come back', (context) => {
    if (root)
      for (const path of ['', ...readdirSync(vault.dir, { recursive: true, encoding: 'utf8' })])
        chownSync(join(vault.dir, path), NOBODY, NOBODY);
    if (run('--version').status !== 0) context.skip('another user cannot run what stands here');
    expect(index().report).toMatchObject({ written: 40, failed: [] });
    for (const [folder, mode] of [
      ['d1', 0o755],
      ['.', 0o755],
    ] as const) {
      const place = join(vault.vaultDir, folder);
      chmodSync(place, 0o000);
      const hidden = index();
      chmodSync(place, mode);
      expect(hidden.report?.written ?? 0).toBe(0);
      expect(JSON.stringify(hidden.report ?? hidden.stderr)).toMatch(/cannot be read|unreadable|permission/i);
      expect(index().report).toMatchObject({ in: 0, written: 0, failed: [] });
    }
  });
});
