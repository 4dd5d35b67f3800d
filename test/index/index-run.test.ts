import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseQuery } from '../../lib/query/parse.js';
import { PipelineError } from '../../runner/errors.js';
import { fakeEmbedder, makeVault, noteText, type TestVault } from './helpers.js';

let embedder: ReturnType<typeof fakeEmbedder>;
let vault: TestVault;
beforeEach(() => {
  embedder = fakeEmbedder();
  vault = makeVault(embedder);
  for (let i = 0; i < 30; i++) vault.put(`d${i % 3}/n${i}.md`, noteText(`n${i}`));
});
afterEach(() => vault.remove());

const counts = () => vault.read((store) => store.counts());
const paths = () =>
  vault.read(async (store) => (await store.notes({ filter: {}, limit: 100, order: 'path' })).map((n) => n.path));
const found = (word: string) =>
  vault.read(async (store) =>
    (await store.matchText(parseQuery(word), { top: 50, filter: {}, weights: [1, 0.5, 0.3] })).map((hit) => hit.path),
  );
const codes = (report: { notices: readonly { code: string }[] }): string[] => report.notices.map((n) => n.code);
const embeddedSince = async (work: () => Promise<unknown>): Promise<string[]> => {
  embedder.texts.length = 0;
  await work();
  return [...embedder.texts];
};

describe('change detection', () => {
  test('a first run indexes everything, a second one does nothing', async () => {
    const first = await vault.index();
    expect(first).toMatchObject({ in: 30, written: 30, failed: [] });
    expect(await counts()).toMatchObject({ notes: 30, chunks: 60, vectors: 60 });
    const version = await vault.read((store) => store.version());
    const again = await embeddedSince(async () =>
      expect(await vault.index()).toMatchObject({ in: 0, written: 0, dropped: {} }),
    );
    expect(again).toEqual([]);
    expect(await vault.read((store) => store.version())).toBe(version);
  });

  test('an edit embeds only the section it touched', async () => {
    await vault.index();
    vault.put('d0/n0.md', noteText('n0', 'An addition about walruses.'));
    const texts = await embeddedSince(() => vault.index());
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('walruses');
    expect(await found('walruses')).toEqual(['d0/n0.md']);
    expect(await counts()).toMatchObject({ chunks: 60, vectors: 60 });
  });

  test('a touched note is looked at once and not written', async () => {
    await vault.index();
    utimesSync(join(vault.vaultDir, 'd0/n0.md'), new Date(), new Date());
    expect(await vault.index()).toMatchObject({ in: 1, written: 0, dropped: { touched: 1 } });
    expect(await vault.index()).toMatchObject({ in: 0 });
  });

  test('--verify finds a change that kept size and time', async () => {
    await vault.index();
    const file = join(vault.vaultDir, 'd0/n0.md');
    const text = noteText('n0');
    const at = new Date(2024, 0, 1);
    writeFileSync(file, text);
    utimesSync(file, at, at);
    await vault.index();
    writeFileSync(file, text.replace('enough', 'zebras'));
    utimesSync(file, at, at);
    expect(await vault.index()).toMatchObject({ written: 0 });
    expect(await vault.index({ overrides: ['scan-vault.verify=true'] })).toMatchObject({
      written: 1,
      dropped: { touched: 29 },
    });
    expect(await found('zebras')).toEqual(['d0/n0.md']);
  });

  test('a moved folder keeps its chunks and vectors', async () => {
    await vault.index();
    const before = await vault.read((store) => store.chunksOf('d0/n0.md'));
    renameSync(join(vault.vaultDir, 'd0'), join(vault.vaultDir, 'moved'));
    expect(await embeddedSince(() => vault.index())).toEqual([]);
    const after = await vault.read((store) => store.chunksOf('moved/n0.md'));
    expect(after.map((chunk) => chunk.id)).toEqual(before.map((chunk) => chunk.id));
    expect(await counts()).toMatchObject({ notes: 30, chunks: 60, vectors: 60 });
  });

  test('a note renamed and edited, and text moved between notes, embed only what is new', async () => {
    await vault.index();
    rmSync(join(vault.vaultDir, 'd0/n0.md'));
    vault.put('d0/other.md', noteText('n0', 'Plus one sentence.'));
    expect(await embeddedSince(() => vault.index())).toHaveLength(1);
    expect(await counts()).toMatchObject({ notes: 30, vectors: 60 });
  });

  test('--full builds everything anew, vectors too', async () => {
    await vault.index();
    expect(await embeddedSince(() => vault.index({ overrides: ['scan-vault.full=true'] }))).toHaveLength(60);
    expect(await counts()).toMatchObject({ notes: 30, chunks: 60, vectors: 60 });
    expect(await vault.index()).toMatchObject({ in: 0 });
  });

  test('another chunk limit indexes again and embeds only other chunks; another model embeds all and says so', async () => {
    await vault.index();
    mkdirSync(join(vault.vaultDir, '.pipeline/pipelines'));
    const { readFileSync } = await import('node:fs');
    const yaml = readFileSync('pipelines/index.yaml', 'utf8');
    writeFileSync(join(vault.vaultDir, '.pipeline/pipelines/index.yaml'), yaml.replace('max: 2000', 'max: 1900'));
    expect(await embeddedSince(async () => expect(await vault.index()).toMatchObject({ in: 30 }))).toEqual([]);
    const next = fakeEmbedder('next', 8);
    const report = await vault.index({}, { embedder: () => next });
    expect(codes(report)).toContain('model-changed');
    expect(next.texts).toHaveLength(60);
    expect(await vault.read((store) => store.activeSpace())).toMatchObject({ model: 'next', dimensions: 8 });
  });

  test('without a model notes are searchable by keyword; once there is one they are embedded', async () => {
    const none = {
      embedder: () => {
        throw new PipelineError('no-model', 'There is no model.');
      },
    };
    expect(codes(await vault.index({}, none))).toEqual(['no-model']);
    expect(await counts()).toMatchObject({ chunks: 60, vectors: 0 });
    expect(await found('n7')).toEqual(['d1/n7.md', 'd1/n7.md']);
    await vault.index();
    expect(await counts()).toMatchObject({ vectors: 60 });
  });

  test('--dry-run writes nothing', async () => {
    const report = await vault.index({ dryRun: true });
    expect(report).toMatchObject({ written: 0, dropped: { 'would-write-new': 30 } });
    expect(await counts()).toMatchObject({ notes: 0 });
  });
});

describe('safety against the world', () => {
  test('an emptied, a replaced and a restored vault: nothing deleted, nothing embedded again', async () => {
    await vault.index();
    const away = join(vault.dir, 'away');
    renameSync(vault.vaultDir, away);
    mkdirSync(join(vault.vaultDir, '.pipeline'), { recursive: true });
    expect(codes(await vault.index())).toContain('vault-empty');
    rmSync(vault.vaultDir, { recursive: true });
    const gone = await vault.open().catch((error: unknown) => error);
    expect(gone).toMatchObject({ code: 'vault-missing' });
    expect(await counts()).toMatchObject({ notes: 30, vectors: 60 });
    renameSync(away, vault.vaultDir);
    expect(await embeddedSince(async () => expect(await vault.index()).toMatchObject({ in: 0 }))).toEqual([]);
  });

  test('a vault that vanishes between opening and scanning is an error that deletes nothing', async () => {
    await vault.index();
    const workspace = await vault.open();
    await workspace.resources.use('vault');
    renameSync(vault.vaultDir, join(vault.dir, 'away'));
    await expect(workspace.run('index')).rejects.toMatchObject({ code: 'vault-missing', exitCode: 3 });
    await workspace.close();
    expect(await counts()).toMatchObject({ notes: 30, vectors: 60 });
  });

  test('most of the notes gone: refused until allowed; a few gone: deleted', async () => {
    await vault.index();
    rmSync(join(vault.vaultDir, 'd0/n0.md'));
    expect(await vault.index()).toMatchObject({ written: 1, notices: [] });
    for (const folder of ['d0', 'd1']) rmSync(join(vault.vaultDir, folder), { recursive: true });
    expect(codes(await vault.index())).toContain('mass-deletion');
    expect(await counts()).toMatchObject({ notes: 29 });
    await vault.index({ overrides: ['scan-vault.allow-delete=true'] });
    expect(await counts()).toMatchObject({ notes: 10, chunks: 20, vectors: 20 });
  });

  test('what .indexignore hides leaves the index at once, however much it is', async () => {
    await vault.index();
    vault.put('.indexignore', 'd0/\nd1/\n');
    expect(codes(await vault.index())).toEqual([]);
    expect((await paths()).every((path) => path.startsWith('d2/'))).toBe(true);
  });

  test('odd files: each is indexed or named, none stops the run', async () => {
    vault.put('latin1.md', '');
    writeFileSync(
      join(vault.vaultDir, 'latin1.md'),
      Buffer.from('Caf\xe9 cr\xe8me is written here in old bytes.', 'latin1'),
    );
    vault.put('crlf.md', '\uFEFF---\r\ntitle: Windows\r\n---\r\n\r\nA line about marmots for Windows.\r\n');
    vault.put('bad.md', '---\ntitle: [unclosed\n---\n\nA body about narwhals that is long enough.\n');
    vault.put('binary.md', '');
    writeFileSync(join(vault.vaultDir, 'binary.md'), Buffer.alloc(4000));
    vault.put(
      'board.md',
      '---\nkanban-plugin: basic\n---\n\n## To do\n\n- [ ] a card about unicorns, with text enough\n',
    );
    vault.put('note.sync-conflict-20240131-101010-ABC123D.md', noteText('copy'));
    vault.put('tiny.md', 'x');
    const report = await vault.index();
    expect(report.failed).toEqual([]);
    expect(codes(report)).toEqual(['sync-conflicts']);
    expect(await found('crème')).toEqual(['latin1.md']);
    expect(await found('marmots')).toEqual(['crlf.md']);
    expect(await found('narwhals')).toEqual(['bad.md']);
    expect(await found('unicorns')).toEqual([]);
    const [line] = await vault.read(async (store) => (await store.chunksOf('crlf.md')).map((chunk) => chunk.lines));
    expect(line).toEqual([5, 5]);
    expect(await vault.index()).toMatchObject({ in: 0 });
  });

  test('an oversized note is listed and named once', async () => {
    vault.put('.pipeline/config.yaml', 'config: { index: { maxNoteBytes: 10KiB } }\n');
    vault.put('big.md', 'word '.repeat(5000));
    expect(codes(await vault.index())).toEqual(['note-too-large']);
    expect(await vault.read((store) => store.file('big.md'))).toMatchObject({ chunks: 0 });
    expect(await vault.index()).toMatchObject({ in: 0, notices: [] });
  });

  test('secrets reach neither text nor keyword index', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}F6g7H8`;
    vault.put('secret.md', `## Token\n\nThe token is ${secret} and must not be found.\n`);
    await vault.index();
    const [chunk] = await vault.read((store) => store.chunksOf('secret.md'));
    expect(chunk?.text).toContain('[REDACTED:');
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(vault.dbFile).includes(secret)).toBe(false);
  });
});

describe('one writer', () => {
  test('a second run says who holds the index; readers answer meanwhile', async () => {
    await vault.index();
    const { acquireWriterLock, lockHolder } = await import('../../store/sqlite/lock.js');
    const lock = await acquireWriterLock(vault.dbFile, { command: 'pipeline index', now: () => 0 });
    const refused = await vault.index().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'index-locked', exitCode: 3 });
    expect(String(refused)).toContain(`process ${process.pid} (pipeline index)`);
    expect(await found('n7')).toHaveLength(2);
    expect(lockHolder(vault.dbFile)).toMatchObject({ pid: process.pid, started: '1970-01-01T00:00:00.000Z' });
    lock.release();
    expect(lockHolder(vault.dbFile)).toBeUndefined();
    expect(await vault.index()).toMatchObject({ in: 0 });
  });

  test('a run that waits goes on when the other is done', async () => {
    const { acquireWriterLock } = await import('../../store/sqlite/lock.js');
    const lock = await acquireWriterLock(vault.dbFile, { command: 'x', now: () => 0 });
    let tries = 0;
    const pause = async (): Promise<void> => {
      if (++tries === 3) lock.release();
    };
    const second = await acquireWriterLock(vault.dbFile, { command: 'y', now: () => 0, waitMs: 1000, pause });
    expect(tries).toBe(3);
    second.release();
  });
});
