/** The settings `pipelines` and `store`: which pipeline plays a role, and where its index is. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { search } from '../../workspace/search.js';
import { openWorkspace, type Workspace } from '../../workspace/workspace.js';
import { fakeEmbedder, makeVault, type TestVault } from '../index/helpers.js';

let vault: TestVault;
const opened: Workspace[] = [];
beforeEach(() => {
  vault = makeVault();
});
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
  vault.remove();
});

async function open(settings: string, env: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  mkdirSync(join(vault.vaultDir, '.pipeline'), { recursive: true });
  writeFileSync(join(vault.vaultDir, '.pipeline', 'config.yaml'), settings);
  const workspace = await openWorkspace({
    vault: vault.vaultDir,
    db: vault.dbFile,
    cwd: vault.dir,
    env,
    stateDir: join(vault.dir, 'state'),
    resources: { embedder: () => fakeEmbedder() },
  });
  opened.push(workspace);
  return workspace;
}

describe('pipelines by role', () => {
  const TEAM = 'config:\n  pipelines: { index: team-index, search: team-search }\n';

  test('whoever asks for `index` or `search` gets the pipeline that plays it', async () => {
    // Two paragraphs of 900 characters under one heading: sections keep them together, paragraphs up to 1,500 do not.
    const long = (word: string) => `${`The runbook says ${word} here. `.repeat(36).trim()}\n`;
    vault.put('a.md', `# Runbook\n\n## Steps\n\n${long('rotate')}\n${long('restart')}`);
    const workspace = await open(TEAM);
    const { report } = await workspace.run('index');
    expect(report.pipeline).toBe('team-index');
    const store = await workspace.resources.use('store');
    expect(await store.chunksOf('a.md')).toHaveLength(2);
    const { hits } = await search(workspace, { text: 'runbook restart', limit: 5 });
    expect(hits[0]?.path).toBe('a.md');
    expect(workspace.plan('search').name).toBe('team-search');
  });

  test('without the setting the shipped ones, and any other pipeline goes by its own name', async () => {
    const workspace = await open(TEAM.replace('index: team-index, ', ''));
    expect(workspace.plan('index').name).toBe('index');
    expect(workspace.plan('search').name).toBe('team-search');
    expect(workspace.plan('ingest').name).toBe('ingest');
  });

  test('a pipeline that does not exist is named', async () => {
    const workspace = await open('config:\n  pipelines: { search: team-serach }\n');
    expect(() => workspace.plan('search')).toThrow(/team-serach/);
  });
});

describe('SLUICE_STORE', () => {
  test('goes before the setting', async () => {
    const workspace = await open('config:\n  store: sqlite\n', {
      SLUICE_STORE: 'postgres://me@db.example/notes?schema=x',
    });
    expect(workspace.settings.store).toBe('postgres://me@db.example/notes?schema=x');
  });

  test('what is no place is refused without printing it', async () => {
    await expect(open('', { SLUICE_STORE: 'mysql://me:hunter2@db/notes' })).rejects.toThrow(/SLUICE_STORE/);
    await expect(open('', { SLUICE_STORE: 'mysql://me:hunter2@db/notes' })).rejects.not.toThrow(/hunter2/);
  });
});
