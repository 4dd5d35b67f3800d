import { execFileSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeError } from '../../../runner/errors.js';
import { blockStates, refreshBlocks } from '../../../workspace/blocks/blocks.js';
import { keepBlocks } from '../../../workspace/blocks/keep.js';
import { openWorkspace, type Workspace } from '../../../workspace/workspace.js';
import { fakeEmbedder, makeVault, type TestVault } from '../../index/helpers.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-06-01T08:00:00Z');

const BLOCKS = `blocks:
  auth-patterns: { vault_query: refresh token rotation, max_tokens: 400, ttl_hours: 24 }
  listed: { notes: [b.md, a.md], max_tokens: 400, ttl_hours: 168, format: xml }
  mapped: { moc: map.md, max_tokens: 400, ttl_hours: 1 }
  api-conventions: null
  project-architecture: null
`;

let vault: TestVault;
let now: number;
const opened: Workspace[] = [];
beforeEach(async () => {
  now = START;
  vault = makeVault();
  writeFileSync(join(vault.vaultDir, '.pipeline', 'blocks.yaml'), BLOCKS);
  vault.put('a.md', '# A\n\n## Rotation\n\nRefresh token rotation happens on every use of the token.\n');
  vault.put('b.md', '# B\n\n## Reuse\n\nA reused refresh token revokes the whole rotation family.\n');
  vault.put('map.md', '---\ntype: moc\n---\n# Map\n\n[[b]] and [[bread]]\n');
  vault.put('bread.md', '# Bread\n\n## Dough\n\nKnead the dough and let it rest overnight in the cold.\n');
  await vault.index();
});
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
  vault.remove();
});

async function open(cwd = vault.dir): Promise<Workspace> {
  const workspace = await openWorkspace({
    vault: vault.vaultDir,
    db: vault.dbFile,
    cwd,
    env: {},
    stateDir: join(vault.dir, 'state'),
    clock: { now: () => now },
    resources: { embedder: () => fakeEmbedder() },
  });
  opened.push(workspace);
  return workspace;
}
const changes = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await refreshBlocks(await open())).map(({ block, change, reason }) => [block.name, `${change}: ${reason}`]),
  );
const textOf = async (name: string): Promise<string> =>
  (await refreshBlocks(await open(), { names: [name] }))[0]?.block.text ?? '';
const CURRENT = {
  listed: 'unchanged: undefined',
  'auth-patterns': 'unchanged: undefined',
  mapped: 'unchanged: undefined',
};

describe('blocks', () => {
  test('hold what answers, what is listed, what a map links to; longest-lived first', async () => {
    const [listed, auth, mapped] = await refreshBlocks(await open());
    expect(listed?.block).toMatchObject({ name: 'listed', files: [{ path: 'a.md' }, { path: 'b.md' }] });
    expect(listed?.block.text).toMatch(/<note path="b\.md"[\s\S]*<note path="a\.md"/);
    expect(auth?.block.name).toBe('auth-patterns');
    expect(auth?.block.text).toMatch(/## A\n[\s\S]*## B\n/);
    expect(mapped?.block.files.map(({ path }) => path)).toEqual(['b.md', 'bread.md']);
    for (const one of [listed, auth, mapped]) expect(one?.block.tokens).toBeLessThanOrEqual(400);
    expect(await changes()).toEqual(CURRENT);
  });

  test('are the same bytes in another process, from another folder, two days later', async () => {
    const first = await refreshBlocks(await open());
    now += 48 * HOUR;
    const later = await refreshBlocks(await open(tmpdir()), { force: true });
    expect(later.map(({ block }) => block.text)).toEqual(first.map(({ block }) => block.text));
    expect(later.map(({ change }) => change)).toEqual(['renewed', 'renewed', 'renewed']);
    expect(later[0]?.block.changed).toBe(first[0]?.block.changed);
  });

  test('a process of its own prints the same bytes wherever it stands', () => {
    const show = (cwd: string): string =>
      execFileSync(
        process.execPath,
        [
          resolve('dist/cli/main.js'),
          'blocks',
          'show',
          'listed',
          '--format',
          'prefix',
          '--vault',
          vault.vaultDir,
          '--db',
          vault.dbFile,
        ],
        {
          cwd,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], SLUICE_STATE: join(vault.dir, 'state') },
        },
      );
    expect(show(tmpdir())).toBe(show(vault.dir));
    expect(show(vault.dir)).toContain('<block name="listed">');
  });

  test('end with their time, one by one', async () => {
    await changes();
    now += HOUR;
    expect(await changes()).toEqual({ ...CURRENT, mapped: 'renewed: expired' });
  });

  test('a touched file and an unrelated edit change nothing', async () => {
    await changes();
    utimesSync(join(vault.vaultDir, 'a.md'), new Date(), new Date());
    await vault.index();
    expect(await changes()).toEqual(CURRENT);
    vault.put('soup.md', '# Soup\n\n## Stock\n\nBones simmer for a day with an onion.\n');
    await vault.index();
    expect(await changes()).toEqual(CURRENT);
  });

  test('an edited note rebuilds the blocks it is in, and no other', async () => {
    const before = await textOf('auth-patterns');
    await changes();
    vault.put('bread.md', '# Bread\n\n## Dough\n\nKnead the dough twice and bake it hot.\n');
    await vault.index();
    expect(await changes()).toEqual({ ...CURRENT, mapped: 'built: notes changed' });
    expect(await textOf('mapped')).toContain('bake it hot');
    expect(await textOf('auth-patterns')).toBe(before);
  });

  test('a new note that answers better enters', async () => {
    await changes();
    vault.put(
      'c.md',
      '# Refresh token rotation\n\n## Refresh token rotation\n\nRefresh token rotation, refresh token rotation.\n',
    );
    await vault.index();
    expect(await changes()).toEqual({ ...CURRENT, 'auth-patterns': 'built: other notes answer now' });
    expect(await textOf('auth-patterns')).toContain('c.md');
  });

  test('a deleted note leaves; changed settings build anew', async () => {
    await changes();
    writeFileSync(
      join(vault.vaultDir, '.pipeline', 'blocks.yaml'),
      BLOCKS.replace('max_tokens: 400, ttl_hours: 24', 'max_tokens: 60, ttl_hours: 24'),
    );
    expect(await changes()).toMatchObject({ 'auth-patterns': expect.stringContaining('settings changed') });
  });

  test('what no note answers is an empty block with a remedy; an unknown note is named', async () => {
    writeFileSync(
      join(vault.vaultDir, '.pipeline', 'blocks.yaml'),
      'blocks:\n  nothing: { vault_query: zyzzyva qwrtx }\n  gone: { notes: [nowhere.md] }\n',
    );
    const found = await refreshBlocks(await open(), { names: ['nothing', 'gone'] });
    expect(found.map(({ block }) => block.tokens)).toEqual([0, 0]);
    const messages = found.flatMap(({ notices }) => notices.map(({ message }) => message)).join('\n');
    expect(messages).toContain('use other words in vault_query');
    expect(messages).toContain('nowhere.md');
  });

  test('settings that cannot be are refused with their line', async () => {
    const file = join(vault.vaultDir, '.pipeline', 'blocks.yaml');
    for (const [yaml, code] of [
      ['blocks:\n  both: { vault_query: a, notes: [a.md] }\n', 'exactly one'],
      ['blocks:\n  Bad Name: { vault_query: a }\n', 'kebab-case'],
      ['blocks:\n  twice: { vault_query: a }\n  twice: { vault_query: b }\n', 'unique'],
    ]) {
      writeFileSync(file, yaml ?? '');
      const refused = await refreshBlocks(await open()).catch((error: Error) => error);
      expect(describeError(refused)).toContain(code);
    }
    writeFileSync(file, BLOCKS);
    await expect(blockStates(await open(), ['auth-pattern'])).rejects.toMatchObject({ code: 'unknown-block' });
  });

  test('what is above the ceiling of MCP is in no block', async () => {
    vault.put(
      'a.md',
      '---\nsensitivity: secret\n---\n# A\n\n## Rotation\n\nRefresh token rotation happens on every use.\n',
    );
    await vault.index();
    for (const { block } of await refreshBlocks(await open())) expect(block.text).not.toContain('every use');
  });
});

describe('watching blocks', () => {
  test('an edit rebuilds its block within one watch period', async () => {
    const workspace = await open();
    await refreshBlocks(workspace);
    const stop = new AbortController();
    const rebuilt = new Promise<string>((done, fail) => {
      let edited = false;
      void keepBlocks(workspace, {
        signal: stop.signal,
        quietMs: 20,
        onProblem: fail,
        onRefreshed: (blocks) => {
          const changed = blocks.filter(({ change }) => change === 'built').map(({ block }) => block.name);
          if (edited && changed.length > 0) done(changed.join());
        },
      });
      mkdirSync(join(vault.vaultDir, 'x'), { recursive: true });
      // The watcher compares everything when it is ready, so an edit before that is seen as well.
      edited = true;
      vault.put('bread.md', '# Bread\n\n## Dough\n\nKnead the dough and bake it at once.\n');
    });
    expect(await rebuilt).toBe('mapped');
    stop.abort();
  });
});
