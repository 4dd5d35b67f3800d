import { describe, expect, test } from 'vitest';
import { PipelineError } from '../../../runner/errors.js';
import { createMemoryStore } from '../../../store/memory.js';
import { ask, type FixtureNote, fill, toyEmbedder } from '../../support/search-fixture.js';

const NOTES: FixtureNote[] = [
  { path: 'garage.md', text: 'the automobile needs oil' },
  { path: 'sports.md', text: 'memory of sports' },
  { path: 'recall.md', text: 'working memory', meta: { domain: 'research' } },
  { path: 'oauth.md', text: 'token rotation', section: 'OAuth' },
];
const TEXT = 'steps:\n  - match-text: {}\n';
const MEANING = 'steps:\n  - embed-query: {}\n  - match-vector: { top: 2 }\n';

describe('match-text', () => {
  const find = async (text: string) => ask({ pipeline: TEXT, query: { text }, notes: NOTES });
  test('finds by text and by section', async () => {
    expect((await find('rotation')).hits.map((h) => h.path)).toEqual(['oauth.md']);
    expect((await find('oauth')).hits[0]).toMatchObject({ path: 'oauth.md', bm25Rank: 1, vecRank: null });
  });
  test('only exclusions: nothing, and a hint', async () => {
    const { hits, report } = await find('-sports');
    expect(hits).toEqual([]);
    expect(report.notices).toEqual([{ code: 'nothing-wanted', message: expect.stringContaining('only excludes') }]);
  });
  test('a store without keyword index is an error with its reason', async () => {
    const store = Object.assign(createMemoryStore(), {
      capabilities: { text: false, textReason: 'No FTS5.', vector: true, writable: true },
    });
    const asked = ask({ pipeline: TEXT, query: { text: 'x' }, resources: { store: () => store } });
    await expect(asked).rejects.toMatchObject({ code: 'no-text-index', message: 'No FTS5.' });
  });
});

describe('embed-query and match-vector', () => {
  test('find by meaning', async () => {
    const { hits } = await ask({ pipeline: MEANING, query: { text: 'car' }, notes: NOTES });
    expect(hits[0]).toMatchObject({ path: 'garage.md', vecRank: 1, bm25Rank: null });
    expect(hits[0]?.cosine).toBeGreaterThan(0.4);
  });
  test('what the query excludes or demands holds here too', async () => {
    const paths = async (text: string) =>
      (await ask({ pipeline: MEANING, query: { text }, notes: NOTES })).hits.map((h) => [h.path, h.vecRank]);
    expect(await paths('memory')).toEqual([
      ['recall.md', 1],
      ['sports.md', 2],
    ]);
    expect((await paths('memory -sports')).map(([path]) => path)).not.toContain('sports.md');
    expect(await paths('"working memory"')).toEqual([['recall.md', 1]]);
    expect(await paths('-sports')).toEqual([]);
  });
  test('the metadata filter applies', async () => {
    const query = { text: 'memory', filter: { domain: ['research'] } };
    const { hits } = await ask({ pipeline: MEANING, query, notes: NOTES });
    expect(hits.map((h) => h.path)).toEqual(['recall.md']);
  });
  test.each([
    ['no vectors', undefined, 'no-vectors'],
    ['vectors of another model', { ...toyEmbedder, fingerprint: 'other' }, 'vector-mismatch'],
  ])('%s: an error that says what to do', async (_, maker, code) => {
    const store = createMemoryStore();
    await fill(store, NOTES, maker);
    const asked = ask({ pipeline: MEANING, query: { text: 'car' }, resources: { store: () => store } });
    await expect(asked).rejects.toMatchObject({ code, remedy: expect.stringContaining('pipeline index') });
  });
  test('a model that fails is not asked twice with one broken promise', async () => {
    let calls = 0;
    const flaky = {
      ...toyEmbedder,
      embed: async (...args: Parameters<typeof toyEmbedder.embed>) => {
        if (calls++ === 0) throw new PipelineError('model-failed', 'once');
        return toyEmbedder.embed(...args);
      },
    };
    const resources = { embedder: () => flaky };
    await expect(ask({ pipeline: MEANING, query: { text: 'car' }, notes: NOTES, resources })).rejects.toThrow('once');
    expect((await ask({ pipeline: MEANING, query: { text: 'car' }, notes: NOTES, resources })).hits).toHaveLength(2);
  });
});
