/** A vault that moves to a server by one line of configuration, and back. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeItem } from '../../../runner/items.js';
import { migrate } from '../../../workspace/migrate.js';
import type { Workspace } from '../../../workspace/workspace.js';
import { row } from '../../contract/ledger.contract.js';
import { fakeEmbedder, makeVault, noteText, type TestVault } from '../../index/helpers.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());

const embedder = fakeEmbedder();
let vault: TestVault;
let url: string;
beforeEach(async () => {
  vault = makeVault(embedder);
  url = server.freshUrl();
  for (let i = 0; i < 12; i++) vault.put(`n/${i}.md`, noteText(`Note${i}`, `[[${i + 1}]]`));
  await vault.index();
});
afterEach(() => vault.remove());

const onServer = (): void => vault.put('.pipeline/config.yaml', `config:\n  store: "${url}"\n`);

async function withVault<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = await vault.open();
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}

const ask = (text: string): Promise<unknown[]> =>
  withVault(async (workspace) => {
    const { items } = await workspace.ask<'Hit'>('search', makeItem('Query', { text, filter: {}, limit: 5 }));
    return items.map(({ data }) => ({ path: data.path, lines: data.lines, score: Number(data.score.toFixed(3)) }));
  });

test('carries notes, vectors and ledger; then one line moves the vault, which answers alike and embeds nothing', async () => {
  await withVault(async ({ resources }) => (await resources.use('ledger')).put(row('item', { aliases: ['guid'] })));
  const before = await ask('second section of note7');
  const copied = await withVault((workspace) => migrate(workspace, { to: 'postgres', store: url, verify: true }));
  expect(copied).toMatchObject({ notes: 12, chunks: 24, vectors: 24, compared: 24, ledger: { rows: 1 } });
  expect(copied.to).not.toContain('postgres:');

  embedder.texts.length = 0;
  onServer();
  expect(await vault.index()).toMatchObject({ written: 0, failed: [] });
  expect(embedder.texts).toEqual([]);
  expect(await ask('second section of note7')).toEqual(before);
  await withVault(async ({ resources }) => {
    expect(await (await resources.use('ledger')).find(['guid'])).toMatchObject({ id: 'item' });
    const store = await resources.use('store');
    expect(store.kind).toBe('postgres');
    expect(await store.linksTo('n/3.md')).toMatchObject([{ from: 'n/2.md' }]);
  });
});

test('an index that others use is not overwritten unless told to', async () => {
  const toServer = (replace: boolean) =>
    withVault((workspace) => migrate(workspace, { to: 'postgres', store: url, replace }));
  await toServer(false);
  vault.put('n/0.md', noteText('Changed'));
  await vault.index();
  await expect(toServer(false)).rejects.toMatchObject({ code: 'migrate-target-used' });
  expect(await toServer(true)).toMatchObject({ notes: 12 });
});

test('what was copied before can be verified later', async () => {
  await withVault((workspace) => migrate(workspace, { to: 'postgres', store: url }));
  const again = await withVault((workspace) => migrate(workspace, { to: 'postgres', store: url, verify: true }));
  expect(again).toMatchObject({ notes: 0, vectors: 0, compared: 24 });
});

test('and back into files', async () => {
  onServer();
  await vault.index();
  vault.put('n/12.md', noteText('Note12'));
  await vault.index();
  const back = await withVault((workspace) => migrate(workspace, { to: 'sqlite', replace: true }));
  expect(back).toMatchObject({ notes: 13, vectors: 26 });
  vault.put('.pipeline/config.yaml', 'config:\n  store: sqlite\n');
  expect(await vault.index()).toMatchObject({ written: 0 });
});

test('says what is missing', async () => {
  await expect(withVault((workspace) => migrate(workspace, { to: 'postgres' }))).rejects.toMatchObject({
    code: 'migrate-usage',
  });
  const bare = makeVault();
  const workspace = await bare.open();
  await expect(migrate(workspace, { to: 'postgres', store: url })).rejects.toMatchObject({ code: 'store-missing' });
  await workspace.close();
  bare.remove();
});

test('a note that is cut shorter leaves no chunk behind, and indexing never touches its dates', async () => {
  onServer();
  vault.put(
    'n/0.md',
    `---\nupdated: 2024-02-03\n---\n${noteText('Long', 'and more')}\n## Third\n\nA third section with words enough.\n`,
  );
  await vault.index();
  const look = () =>
    withVault(async ({ resources }) => {
      const store = await resources.use('store');
      const note = await store.note('n/0.md');
      return {
        updated: note?.meta.updated,
        own: note?.chunks,
        stored: (await store.chunksOf('n/0.md')).length,
        ...(await store.counts()),
      };
    });
  expect(await look()).toMatchObject({ updated: '2024-02-03', own: 3, stored: 3, chunks: 25, vectors: 25 });
  vault.put('n/0.md', '---\nupdated: 2024-02-03\n---\n## Only\n\nOne short section is all that is left of it.\n');
  await vault.index({ overrides: ['scan-vault.verify=true'] });
  const short = { updated: '2024-02-03', own: 1, stored: 1, chunks: 23, vectors: 23 };
  expect(await look()).toMatchObject(short);
  await vault.index({ overrides: ['scan-vault.full=true'] });
  expect(await look()).toMatchObject(short);
});
