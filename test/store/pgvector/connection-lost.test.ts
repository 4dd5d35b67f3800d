/** Index runs whose connection is cut: whole notes stay, and the next run completes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPgStore } from '../../../store/pgvector/open.js';
import type { ChunkStore } from '../../../store/types.js';
import { makeVault, noteText, type TestVault } from '../../index/helpers.js';
import { type CutProxy, startCutProxy } from '../../support/cut-proxy.js';
import { startServer, type TestServer } from '../../support/pg-server.js';

const NOTES = 40;
const CUTS = 20;
/** Many transactions, so that a cut leaves part of the notes behind. */
const SMALL_BATCHES = { overrides: ['write-index.batch=3'] };

let server: TestServer;
let vault: TestVault;
beforeAll(async () => {
  server = await startServer();
  vault = makeVault();
  for (let i = 0; i < NOTES; i++) vault.put(`n/${i}.md`, noteText(`Note${i}`, `[[${(i + 1) % NOTES}]]`));
}, 300_000);
afterAll(async () => {
  vault.remove();
  await server.stop();
});

let proxy: CutProxy;
let url: string;
beforeEach(async () => {
  url = server.freshUrl();
  proxy = await startCutProxy(url);
  vault.put('.pipeline/config.yaml', `config:\n  store: "${proxy.url}"\n`);
  return () => proxy.stop();
});

/** Reproducible numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** All the index knows, without the numbers a database gives out. */
async function contents(at: string): Promise<ReadonlyMap<string, unknown>> {
  const store: ChunkStore = await openPgStore({ url: at, readOnly: true });
  try {
    const space = await store.activeSpace();
    const found = new Map<string, unknown>();
    for await (const file of store.files()) {
      const chunks = await store.chunksOf(file.path);
      const vectors = space
        ? await store.vectors(
            chunks.map((c) => c.id),
            space.fingerprint,
          )
        : new Map<number, Float32Array>();
      found.set(file.path, {
        ...file,
        links: await store.linksFrom(file.path),
        chunks: chunks.map(({ id, ...chunk }) => ({ ...chunk, vector: [...(vectors.get(id) ?? [])] })),
      });
    }
    return found;
  } finally {
    await store.close();
  }
}

/** Links are resolved against the notes there are; in half an index some of them lead nowhere. */
const withoutLinks = (note: unknown): unknown => ({ ...(note as object), links: undefined });

test(`cut at ${CUTS} random points, an index run leaves whole notes, and another one completes`, async () => {
  const whole = server.freshUrl();
  vault.put('.pipeline/config.yaml', `config:\n  store: "${whole}"\n`);
  await vault.index();
  const expected = await contents(whole);
  expect(expected.size).toBe(NOTES);
  vault.put('.pipeline/config.yaml', `config:\n  store: "${proxy.url}"\n`);
  const before = proxy.sent();
  await vault.index(SMALL_BATCHES);
  const bytes = proxy.sent() - before;

  const next = random(20);
  let partial = 0;
  for (let i = 0; i < CUTS; i++) {
    const fresh = server.freshUrl();
    const cut = await startCutProxy(fresh);
    vault.put('.pipeline/config.yaml', `config:\n  store: "${cut.url}"\n`);
    cut.cutAfter(1 + Math.floor(next() * (bytes - 1)));
    await vault.index(SMALL_BATCHES).catch(() => undefined);
    expect(cut.cuts()).toBe(1);
    const left = await contents(fresh).catch(() => new Map<string, unknown>());
    for (const [path, note] of left) expect(withoutLinks(note)).toEqual(withoutLinks(expected.get(path)));
    if (left.size > 0 && left.size < NOTES) partial++;
    await vault.index();
    expect(await contents(fresh)).toEqual(expected);
    await cut.stop();
  }
  // The cuts did fall into the middle of runs.
  expect(partial).toBeGreaterThan(CUTS / 4);
}, 300_000);

test('a run that loses its connection says so, what became of the notes, and what to do', async () => {
  await vault.index();
  vault.put('n/0.md', noteText('Note0', 'changed'));
  const before = proxy.sent();
  proxy.cutAfter(3000);
  const failure = await vault.index().then(
    (report) => report.failed.map((item) => item.reason).join() + report.notices.map((n) => n.message).join(),
    (error: unknown) => String(error),
  );
  expect(proxy.sent() - before).toBeGreaterThan(2999);
  expect(failure).toMatch(/connection to the database was lost.*rolled back/i);
  vault.put('n/0.md', noteText('Note0', '[[1]]'));
});

test('a reader whose connection is cut in the middle of a question asks again', async () => {
  vault.put('.pipeline/config.yaml', `config:\n  store: "${url}"\n`);
  await vault.index();
  const reader = await openPgStore({ url: proxy.url, readOnly: true });
  const before = await reader.counts();
  for (const bytes of [1, 60, 200]) {
    proxy.cutAfter(bytes);
    expect(await reader.counts()).toEqual(before);
  }
  expect(proxy.cuts()).toBe(3);
  await reader.close();
});
