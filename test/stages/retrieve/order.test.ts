import { describe, expect, test } from 'vitest';
import { ask, type FixtureNote } from '../../support/search-fixture.js';

const LEGS = `steps:
  - parallel:
      text: { optional: true, steps: [{ match-text: {} }] }
      meaning: { optional: true, steps: [{ embed-query: {} }, { match-vector: {} }] }
    atLeast: 1
  - fuse: {}
`;
const NOTES: FixtureNote[] = [
  { path: 'both.md', text: 'the car starts fast' },
  { path: 'meaning.md', text: 'launch the automobile' },
  { path: 'word.md', text: 'fast food' },
];
const paths = (hits: readonly { path: string }[]) => hits.map((hit) => hit.path);

describe('fuse', () => {
  test('a chunk of both lists comes first and keeps both ranks and scores', async () => {
    const { hits } = await ask({ pipeline: LEGS, query: { text: 'car fast' }, notes: NOTES });
    expect(hits[0]).toMatchObject({ path: 'both.md', bm25Rank: 1, vecRank: 1, score: 2 / 61 });
    expect(hits[0]?.bm25Score).toBeGreaterThan(0);
    expect(hits[0]?.explain).toMatchObject({ 'text rank': 1, 'meaning rank': 1 });
    expect(new Set(paths(hits)).size).toBe(hits.length);
  });
  test('weights follow the branch names', async () => {
    const pipeline = LEGS.replace('fuse: {}', 'fuse: { k: 0, weights: { text: 0, meaning: 3 } }');
    const { hits } = await ask({ pipeline, query: { text: 'car' }, notes: NOTES });
    expect(hits[0]?.score).toBe(3);
  });
  test('one leg failing leaves the other, with a notice', async () => {
    const resources = {
      embedder: () => {
        throw new Error('no model here');
      },
    };
    const { hits, report } = await ask({ pipeline: LEGS, query: { text: 'fast' }, notes: NOTES, resources });
    expect(paths(hits).sort()).toEqual(['both.md', 'word.md']);
    expect(hits.every((hit) => hit.vecRank === null && hit.bm25Rank !== null)).toBe(true);
    expect(report.notices[0]?.message).toContain('no model here');
  });
});

describe('rescore', () => {
  const pipeline = `${LEGS}  - rescore: {}\n`;
  test('scores are 0..1, best first, and explained', async () => {
    const { hits } = await ask({ pipeline, query: { text: 'fast car' }, notes: NOTES });
    expect(paths(hits)[0]).toBe('both.md');
    expect(hits[0]?.score).toBeCloseTo(1, 5);
    for (const [i, hit] of hits.entries()) expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1);
    expect(hits[0]?.explain).toMatchObject({ matched: 'fast, car', keywords: expect.any(Number) });
  });
  test('hits of the keyword leg get their cosine, so that both legs compare', async () => {
    const far = Array.from({ length: 40 }, (_, i) => ({ path: `x${i}.md`, text: `automobile car number${i}` }));
    const notes = [{ path: 'rare.md', text: 'zebra and a long list of other unrelated animals' }, ...far];
    const { hits } = await ask({ pipeline, query: { text: 'zebra car' }, notes });
    expect(hits.find((hit) => hit.path === 'rare.md')).toMatchObject({ vecRank: null, cosine: expect.any(Number) });
  });
  test('the shares decide', async () => {
    const ranked = async (text: number, meaning: number) =>
      paths(
        (
          await ask({
            pipeline: `${LEGS}  - rescore: { text: ${text}, meaning: ${meaning}, feedback: { weight: 0 } }\n`,
            query: { text: 'automobile quick' },
            notes: NOTES,
          })
        ).hits,
      );
    expect((await ranked(1, 0))[0]).toBe('meaning.md');
    expect((await ranked(0, 1))[0]).toBe('both.md');
  });
  test('without vectors keywords decide alone', async () => {
    const { hits } = await ask({
      pipeline: 'steps:\n  - match-text: {}\n  - rescore: {}\n',
      query: { text: 'fast' },
      notes: NOTES,
    });
    expect(hits.map((hit) => hit.cosine)).toEqual([undefined, undefined]);
    expect(hits[0]?.score).toBe(1);
  });
});

describe('demote-stale', () => {
  const dated = (path: string, updated?: string): FixtureNote => ({
    path,
    text: 'same words here',
    meta: updated ? { updated } : {},
  });
  const notes = [dated('old.md', '2020-01-01'), dated('new.md', '2026-06-01'), dated('undated.md')];
  test('an old note loses to a fresh equal, an undated one does not', async () => {
    const pipeline = `${LEGS}  - rescore: {}\n  - demote-stale: {}\n`;
    const { hits } = await ask({ pipeline, query: { text: 'same words' }, notes });
    expect(paths(hits).at(-1)).toBe('old.md');
    expect(hits.at(-1)?.score).toBeCloseTo((hits[0]?.score ?? 0) - 0.05, 10);
    expect(hits.at(-1)?.explain).toMatchObject({ stale: -0.05 });
  });
  test('by rank an old note falls one place', async () => {
    const pipeline = 'steps:\n  - match-text: {}\n  - demote-stale: { by: rank, penalty: 1 }\n';
    const { hits } = await ask({ pipeline, query: { text: 'same words' }, notes });
    expect(paths(hits)).toEqual(['new.md', 'old.md', 'undated.md']);
  });
});

test('collapse-similar shows copies once and says where they are', async () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve';
  const notes = [
    { path: 'a.md', text },
    { path: 'copy.md', text: `${text}!` },
    { path: 'other.md', text: 'one two three and something else entirely' },
  ];
  const pipeline = 'steps:\n  - match-text: {}\n  - collapse-similar: {}\n';
  const { hits, report } = await ask({ pipeline, query: { text: 'eleven one' }, notes });
  expect(paths(hits)).toEqual(['a.md', 'other.md']);
  expect(hits[0]?.similar).toEqual([{ path: 'copy.md', section: '', lines: [1, 1] }]);
  expect(report.reports['collapsed']).toBe(1);
});

describe('expand-links', () => {
  const notes: FixtureNote[] = [
    { path: 'hit.md', text: 'zebra stripes', links: ['linked', 'secret', 'missing'] },
    { path: 'linked.md', text: 'about horses' },
    { path: 'secret.md', text: 'private matters', meta: { sensitivity: 'secret' } },
    { path: 'map.md', text: 'list of animals', meta: { type: 'moc' }, links: ['hit'] },
    { path: 'plain.md', text: 'mentions it', links: ['hit'] },
  ];
  const query = { text: 'zebra', filter: { ceiling: 'internal' as const } };
  test('off by default', async () => {
    const { hits } = await ask({ pipeline: 'steps:\n  - match-text: {}\n  - expand-links: {}\n', query, notes });
    expect(paths(hits)).toEqual(['hit.md']);
  });
  test('adds linked notes and the maps that hold the hit, within the filter', async () => {
    const pipeline = 'steps:\n  - match-text: {}\n  - expand-links: { enabled: true }\n';
    const { hits } = await ask({ pipeline, query, notes });
    expect(paths(hits)).toEqual(['hit.md', 'linked.md', 'map.md']);
    expect(hits[1]).toMatchObject({ bm25Rank: null, vecRank: null, explain: { 'linked from': 'hit.md' } });
  });
});
