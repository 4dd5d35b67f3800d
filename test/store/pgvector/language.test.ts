/** The words of an index on a server, in the language its URL names. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseQuery } from '../../../lib/query/parse.js';
import { copyIndex } from '../../../store/copy.js';
import { createMemoryStore } from '../../../store/memory.js';
import { openPgStore } from '../../../store/pgvector/open.js';
import type { ChunkStore } from '../../../store/types.js';
import { makeNote, SPACE } from '../../contract/notes.js';
import { startServer, type TestServer } from '../../support/pg-server.js';
import { ask } from '../../support/search-fixture.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 300_000);
afterAll(() => server.stop());

let url: string;
beforeEach(() => {
  url = server.freshUrl();
});

const inLanguage = (language: string): string => `${url}&language=${language}`;

async function withStore<T>(at: string, work: (store: ChunkStore) => Promise<T>, readOnly = false): Promise<T> {
  const store = await openPgStore({ url: at, readOnly });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens as `pipeline index` does, as the only writer. */
const index = (at: string, ...texts: readonly (readonly [path: string, text: string])[]): Promise<void> =>
  withStore(at, async (store) => {
    await store.exclusively?.({ command: 'pipeline index' }, async () => {
      for (const [path, text] of texts) await store.putNote(makeNote(path, [[text, [1, 0, 0, 0]]]), SPACE);
      await store.optimize();
    });
  });

const found = (at: string, text: string): Promise<string[]> =>
  withStore(
    at,
    async (store) => {
      const query = parseQuery(text, { stemmer: await store.stemmer?.() });
      const hits = await store.matchText(query, { top: 5, filter: {}, weights: [1, 0.5, 0.3] });
      return hits.map((hit) => hit.path);
    },
    true,
  );

const HORSES = ['chevaux.md', 'Les chevaux galopaient dans les prés.'] as const;
const BREAD = ['pain.md', 'Le pain lève toute la nuit au frais.'] as const;

test('a French index finds a word by its other forms; a reader need not be told the language', async () => {
  await index(inLanguage('french'), HORSES, BREAD);
  expect(await found(url, 'cheval')).toEqual(['chevaux.md']);
  expect(await found(url, 'levait')).toEqual(['pain.md']);
  expect(await found(url, '"cheval galoper"')).toEqual(['chevaux.md']);
  expect(await found(url, '"galoper cheval"')).toEqual([]);
  expect(await found(url, 'pré -cheval')).toEqual([]);
});

test('without a language it is English, with `simple` only the word itself', async () => {
  await index(url, HORSES);
  expect(await found(url, 'cheval')).toEqual([]);
  await index(inLanguage('simple'));
  expect(await found(url, 'galope')).toEqual([]);
  expect(await found(url, 'galopaient')).toEqual(['chevaux.md']);
});

test('another language is put in place by the next run, without embedding or reading a note', async () => {
  await index(url, HORSES, BREAD);
  const before = await withStore(url, async (store) => ({
    version: await store.version(),
    ids: (await store.chunksOf('chevaux.md')).map(({ id }) => id),
  }));
  await index(inLanguage('french'));
  expect(await found(url, 'cheval')).toEqual(['chevaux.md']);
  await withStore(url, async (store) => {
    const ids = (await store.chunksOf('chevaux.md')).map(({ id }) => id);
    expect(ids).toEqual(before.ids);
    expect((await store.vectors(ids, SPACE.fingerprint)).size).toBe(1);
    expect(await store.version()).not.toBe(before.version);
  });
});

test('a reader that was there before follows', async () => {
  await index(url, HORSES);
  await withStore(
    url,
    async (reader) => {
      const paths = async (): Promise<string[]> => {
        const query = parseQuery('cheval', { stemmer: await reader.stemmer?.() });
        return (await reader.matchText(query, { top: 5, filter: {}, weights: [1, 0.5, 0.3] })).map(({ path }) => path);
      };
      expect(await paths()).toEqual([]);
      await index(inLanguage('french'));
      expect(await paths()).toEqual(['chevaux.md']);
    },
    true,
  );
});

test('what is written later, renamed or copied there is in its language', async () => {
  await index(inLanguage('french'), HORSES);
  await withStore(url, (store) => store.putNote(makeNote('later.md', [['Un cheval dort.', [0, 1, 0, 0]]]), SPACE));
  await withStore(url, (store) => store.renameNote('chevaux.md', 'animaux.md', { size: 1, mtimeNs: '2' }));
  expect((await found(url, 'chevaux')).sort()).toEqual(['animaux.md', 'later.md']);
  expect(await found(url, 'animal')).toEqual(['animaux.md']);

  const source = createMemoryStore();
  await source.putNote(makeNote(...copied), SPACE);
  await withStore(`${server.freshUrl()}&language=french`, async (target) => {
    await target.exclusively?.({ command: 'pipeline migrate' }, () => copyIndex(source, target));
    const query = parseQuery('cheval', { stemmer: await target.stemmer?.() });
    expect(await target.matchText(query, { top: 5, filter: {}, weights: [1, 0.5, 0.3] })).toHaveLength(1);
  });
});
const copied = ['c.md', [['Des chevaux.', [1, 0, 0, 0]]]] as const satisfies Parameters<typeof makeNote>;

test('the whole search ranks, judges and quotes by it', async () => {
  await index(inLanguage('french'), HORSES, BREAD);
  await withStore(
    url,
    async (store) => {
      const { hits, report } = await ask({
        pipeline: readFileSync('pipelines/search.yaml', 'utf8'),
        query: { text: 'galoper cheval' },
        resources: { store: () => store },
      });
      expect(hits.map(({ path }) => path)).toEqual(['chevaux.md']);
      expect(hits[0]?.explain).toMatchObject({ matched: 'galoper, cheval' });
      expect(report.notices.map(({ code }) => code)).not.toContain('no-good-match');
    },
    true,
  );
});

test('a write that could not begin does not spoil the next one', async () => {
  await index(url, HORSES);
  const schema = new URL(url).searchParams.get('schema') ?? '';
  await withStore(url, async (store) => {
    await server.sql(`ALTER TABLE "${schema}".model_meta RENAME TO away`);
    await expect(store.setMeta('k', 'v')).rejects.toThrow();
    await server.sql(`ALTER TABLE "${schema}".away RENAME TO model_meta`);
    await store.setMeta('k', 'v');
    expect(await store.getMeta('k')).toBe('v');
  });
});

test('a language that is none is refused before anything is opened', async () => {
  await expect(openPgStore({ url: inLanguage('klingon') })).rejects.toMatchObject({
    code: 'store-url',
    message: expect.stringContaining('french'),
  });
});
