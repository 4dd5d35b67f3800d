/** The contract of every ChunkStore. A store's own test file calls this with a way to open an empty store. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseQuery } from '../../lib/query/parse.js';
import type { Filter, Hit, NoteMeta } from '../../runner/items.js';
import type { ChunkStore } from '../../store/types.js';
import { link, makeNote, SPACE } from './notes.js';
import { vectorContract } from './vectors.contract.js';

export function storeContract(name: string, open: () => Promise<ChunkStore>): void {
  vectorContract(name, open);
  describe(`${name}: ChunkStore contract`, () => {
    let store: ChunkStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const text = (query: string, filter: Filter = {}): Promise<readonly Hit[]> =>
      store.matchText(parseQuery(query), { top: 30, filter, weights: [1, 0.5, 0.3] });
    const near = (vector: readonly number[], filter: Filter = {}, top = 30): Promise<readonly Hit[]> =>
      store.matchVector(Float32Array.from(vector), { top, filter, fingerprint: SPACE.fingerprint });
    const paths = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { path } of store.files()) found.push(path);
      return found;
    };

    test('counts notes by sensitivity class; what says nothing is internal', async () => {
      await store.putNote(makeNote('a.md', ['one'], { meta: { sensitivity: 'secret' } }));
      await store.putNote(makeNote('b.md', ['two']));
      await store.putNote(makeNote('c.md', ['three'], { meta: { sensitivity: 'public' } }));
      expect((await store.counts()).sensitivity).toEqual({ public: 1, internal: 1, private: 0, secret: 1 });
    });

    test('lists files ordered by UTF-8 bytes', async () => {
      for (const path of ['b.md', 'a/z.md', 'a.md', 'ﬀ.md', '😀.md', 'Z.md'])
        await store.putNote(makeNote(path, ['text']));
      expect(await paths()).toEqual(['Z.md', 'a.md', 'a/z.md', 'b.md', 'ﬀ.md', '😀.md']);
    });

    test('knows how common a stem is and how long chunks are', async () => {
      await store.putNote(makeNote('a.md', ['running servers run', 'one server'], { meta: { title: 'T' } }));
      await store.putNote(makeNote('b.md', ['nothing here'], { meta: { title: 'T' } }));
      const stats = await store.textStats(['run', 'server', 'absent']);
      expect(stats.chunks).toBe(3);
      expect([...stats.counts]).toEqual([
        ['run', 1],
        ['server', 2],
        ['absent', 0],
      ]);
      // Text 3 + 2 + 2, and for each chunk section 2, title 1, path 2.
      expect(stats.averageWords).toBeCloseTo((7 + 3 * 5) / 3, 10);
      await store.removeNote('a.md');
      expect([...(await store.textStats(['server'])).counts]).toEqual([['server', 0]]);
    });

    test('finds a note by words of its path, also after it moved', async () => {
      await store.putNote(makeNote('projects/apollo/plan.md', ['text'], { meta: { title: 'T' } }));
      expect((await text('apollo')).map((hit) => hit.path)).toEqual(['projects/apollo/plan.md']);
      await store.renameNote('projects/apollo/plan.md', 'archive/gemini.md', { size: 10, mtimeNs: '2' });
      expect(await text('apollo')).toEqual([]);
      expect((await text('gemini')).map((hit) => hit.path)).toEqual(['archive/gemini.md']);
    });

    test('answers alike however often it is asked, and sees what was written in between', async () => {
      const far = (i: number): [string, number[]] => [`far ${i}`, [0.1, 1, i / 50, 0]];
      await store.putNote(
        makeNote('a.md', [['x', [1, 0, 0, 0]], ...Array.from({ length: 40 }, (_, i) => far(i))]),
        SPACE,
      );
      const ask = async () =>
        (await near([1, 0, 0, 0], {}, 5)).map(({ path, text, cosine = 0 }) => [path, text, cosine.toFixed(2)]);
      const first = await ask();
      expect(first[0]).toEqual(['a.md', 'x', '1.00']);
      for (let i = 0; i < 4; i++) expect(await ask()).toEqual(first);
      await store.putNote(makeNote('b.md', [['y', [1, 0.01, 0, 0]]]), SPACE);
      expect((await ask()).map(([path]) => path).slice(0, 2)).toEqual(['a.md', 'b.md']);
      await store.removeNote('a.md');
      for (let i = 0; i < 4; i++) expect((await ask()).map(([path]) => path)).toEqual(['b.md']);
    });

    test('a note comes back as it was put', async () => {
      const meta: NoteMeta = {
        title: 'Title',
        type: 'note',
        domain: 'security',
        tags: ['Auth', 'a/b'],
        status: 'active',
        created: '2024-01-01',
        updated: '2024-02-01',
        source: 'https://example.org/x',
        aliases: ['Other name'],
        sensitivity: 'private',
      };
      const note = makeNote('dir/a.md', ['first words', 'second words'], { meta, recipe: 'r1' });
      await store.putNote(note);
      expect(await store.note('dir/a.md')).toEqual({
        path: 'dir/a.md',
        stat: note.file.stat,
        hash: note.file.hash,
        chunks: 2,
        recipe: 'r1',
        spaces: [],
        meta,
      });
      const [first, second] = await store.chunksOf('dir/a.md');
      expect(second).toMatchObject({
        path: 'dir/a.md',
        index: 1,
        section: 'Section 1',
        text: 'second words',
        lines: [3, 4],
      });
      expect(await store.chunk(first?.id ?? -1)).toEqual(first);
      expect(await store.note('absent.md')).toBeUndefined();
      expect(await store.file('absent.md')).toBeUndefined();
    });

    test('a note without chunks is known', async () => {
      await store.putNote(makeNote('empty.md', []), SPACE);
      expect(await store.file('empty.md')).toMatchObject({ chunks: 0 });
      expect(await store.counts()).toMatchObject({ notes: 1, chunks: 0, vectors: 0 });
    });

    test('replacing a note leaves nothing of the old one', async () => {
      await store.putNote(makeNote('a.md', ['alpha walrus', 'beta'], { links: [link('x')] }));
      await store.putNote(makeNote('a.md', ['gamma'], { links: [] }));
      expect(await text('walrus')).toEqual([]);
      expect((await text('gamma')).map((hit) => hit.text)).toEqual(['gamma']);
      expect(await store.counts()).toMatchObject({ notes: 1, chunks: 1, links: 0 });
    });

    test('unchanged chunks keep their ids when a note changes', async () => {
      await store.putNote(makeNote('a.md', ['keep me', 'drop me']));
      const [kept] = await store.chunksOf('a.md');
      await store.putNote(makeNote('a.md', ['keep me', 'new text']));
      const [first, second] = await store.chunksOf('a.md');
      expect(first?.id).toBe(kept?.id);
      expect(second?.text).toBe('new text');
    });

    test('removing a note removes everything of it', async () => {
      await store.putNote(makeNote('a.md', [['alpha walrus', [1, 0, 0, 0]]], { links: [link('b')] }), SPACE);
      await store.removeNote('a.md');
      expect(await text('walrus')).toEqual([]);
      expect(await near([1, 0, 0, 0])).toEqual([]);
      expect(await store.counts()).toMatchObject({ notes: 0, chunks: 0, vectors: 0, links: 0 });
      await store.removeNote('a.md');
    });

    test('a rename keeps chunks and vectors and replaces what stood at the new path', async () => {
      await store.putNote(makeNote('old.md', [['alpha', [1, 0, 0, 0]]]), SPACE);
      await store.putNote(makeNote('new.md', [['beta', [0, 1, 0, 0]]]), SPACE);
      const [chunk] = await store.chunksOf('old.md');
      await store.renameNote('old.md', 'new.md', { size: 11, mtimeNs: '7' });
      expect(await paths()).toEqual(['new.md']);
      expect(await store.file('new.md')).toMatchObject({
        stat: { size: 11, mtimeNs: '7' },
        spaces: [SPACE.fingerprint],
      });
      expect((await near([1, 0, 0, 0])).map((hit) => [hit.chunkId, hit.path])).toEqual([[chunk?.id, 'new.md']]);
      expect(await store.counts()).toMatchObject({ notes: 1, chunks: 1, vectors: 1 });
    });

    test('touching changes the times only', async () => {
      const note = makeNote('a.md', ['alpha']);
      await store.putNote(note);
      await store.touchNote('a.md', { size: 10, mtimeNs: '1700000000123456789' });
      expect(await store.file('a.md')).toMatchObject({
        hash: note.file.hash,
        stat: { mtimeNs: '1700000000123456789' },
      });
    });

    test('keyword search: any word finds, more words rank higher, exclusions and phrases hold', async () => {
      await store.putNote(makeNote('a.md', ['the quick brown fox', 'brown quick bread', 'slow green turtle']));
      expect((await text('quick fox')).map((hit) => [hit.text, hit.bm25Rank, hit.vecRank])).toEqual([
        ['the quick brown fox', 1, null],
        ['brown quick bread', 2, null],
      ]);
      expect((await text('"quick brown"')).map((hit) => hit.text)).toEqual(['the quick brown fox']);
      expect((await text('brown -fox')).map((hit) => hit.text)).toEqual(['brown quick bread']);
      expect(await text('-fox')).toEqual([]);
      expect((await text('fox'))[0]?.bm25Score).toBeGreaterThan(0);
    });

    test.each<[string, Filter, string[]]>([
      ['type', { type: ['MOC', 'daily'] }, ['b.md']],
      ['domain', { domain: ['security'] }, ['x/a.md']],
      ['tag with children', { tag: ['auth'] }, ['b.md', 'x/a.md']],
      ['all tags', { tag: ['auth', 'web'] }, ['b.md']],
      ['status', { status: ['archived'] }, ['b.md']],
      ['folder', { folder: ['x'] }, ['x/a.md']],
      ['source host', { source: ['example.org'] }, ['x/a.md']],
      ['created', { createdFrom: '2024-01-01', createdTo: '2024-01-31' }, ['x/a.md']],
      ['updated', { updatedFrom: '2024-05-01' }, ['b.md']],
      ['ceiling', { ceiling: 'internal' }, ['x/a.md', 'xy/c.md']],
    ])('filters both legs and the list by %s', async (_, filter, expected) => {
      const vector = [1, 0, 0, 0];
      await store.putNote(
        makeNote('x/a.md', [['same words', vector]], {
          meta: {
            type: 'note',
            domain: 'Security',
            tags: ['auth/oauth'],
            created: '2024-01-15',
            source: 'https://example.org/post',
          },
        }),
        SPACE,
      );
      await store.putNote(
        makeNote('b.md', [['same words', vector]], {
          meta: {
            type: 'moc',
            tags: ['Auth', 'web'],
            status: 'archived',
            updated: '2024-06-01',
            sensitivity: 'private',
          },
        }),
        SPACE,
      );
      await store.putNote(makeNote('xy/c.md', [['same words', vector]], { meta: { tags: ['author'] } }), SPACE);
      const found = (hits: readonly { path: string }[]): string[] => hits.map((hit) => hit.path).sort();
      expect(found(await text('same', filter))).toEqual(expected);
      expect(found(await near(vector, filter))).toEqual(expected);
      expect((await store.notes({ filter, limit: 10, order: 'path' })).map((n) => n.path)).toEqual(expected);
    });

    test('a filter to a small folder gives its best although a large one is nearer', async () => {
      await store.transaction(async () => {
        for (let i = 0; i < 300; i++)
          await store.putNote(makeNote(`big/${i}.md`, [[`common ${i}`, [1, i / 10_000, 0, 0]]]), SPACE);
        for (let i = 0; i < 5; i++)
          await store.putNote(makeNote(`small/${i}.md`, [[`common small ${i}`, [0.5, 0.5 + i / 10, 0, 0]]]), SPACE);
      });
      const hits = await near([1, 0, 0, 0], { folder: ['small'] }, 3);
      expect(hits.map((hit) => hit.path)).toEqual(['small/0.md', 'small/1.md', 'small/2.md']);
      expect(await text('common', { folder: ['small'] })).toHaveLength(5);
    });

    test('lists notes newest first, paged', async () => {
      for (const [path, updated] of [
        ['a.md', '2024-01-01'],
        ['b.md', '2024-03-01'],
        ['c.md', '2024-02-01'],
      ] as const)
        await store.putNote(makeNote(path, ['t'], { meta: { updated } }));
      await store.putNote(makeNote('d.md', ['t']));
      const list = await store.notes({ filter: {}, limit: 2, offset: 1 });
      expect(list.map((note) => note.path)).toEqual(['c.md', 'a.md']);
    });

    test('links resolve to the nearest note of that name, by path, by alias, or to nothing', async () => {
      const links = [link('Target', 1), link('deep/target', 2), link('Nick', 3), link('nowhere', 4)];
      await store.putNote(makeNote('from.md', ['t'], { links }));
      await store.putNote(makeNote('x/deep/target.md', ['t'], { meta: { aliases: ['Nick'] } }));
      await store.putNote(makeNote('x/Target.md', ['t']));
      expect((await store.linksFrom('from.md')).map(({ to }) => to)).toEqual([
        'x/Target.md',
        'x/deep/target.md',
        'x/deep/target.md',
        null,
      ]);
      expect((await store.linksTo('x/deep/target.md')).map(({ from, line }) => [from, line])).toEqual([
        ['from.md', 2],
        ['from.md', 3],
      ]);
      expect(await store.linksTo('from.md')).toEqual([]);
    });

    test('a failed transaction leaves nothing, a finished one everything', async () => {
      await store.putNote(makeNote('a.md', [['before', [1, 0, 0, 0]]]), SPACE);
      const failing = store.transaction(async () => {
        await store.putNote(makeNote('b.md', ['during']));
        await store.putNote(makeNote('a.md', ['during']));
        throw new Error('power failure');
      });
      await expect(failing).rejects.toThrow('power failure');
      expect(await paths()).toEqual(['a.md']);
      expect((await text('before')).length + (await near([1, 0, 0, 0])).length).toBe(2);
      expect(await text('during')).toEqual([]);
      await expect(store.transaction(() => store.transaction(async () => 1))).rejects.toMatchObject({
        code: 'store-nested',
      });
    });

    test('the version changes with every commit', async () => {
      const before = await store.version();
      await store.putNote(makeNote('a.md', ['one']));
      const after = await store.version();
      expect(after).not.toBe(before);
      expect(await store.version()).toBe(after);
    });

    test('meta values are kept, and clearing empties the index', async () => {
      await store.setMeta('k', 'v1');
      await store.setMeta('k', 'v2');
      expect(await store.getMeta('k')).toBe('v2');
      expect(await store.getMeta('absent')).toBeUndefined();
      await store.putNote(makeNote('a.md', [['one', [1, 0, 0, 0]]]), SPACE);
      await store.clear();
      expect(await store.counts()).toMatchObject({ notes: 0, chunks: 0, vectors: 0, links: 0 });
      expect(await text('one')).toEqual([]);
      expect(await store.activeSpace()).toBeUndefined();
      await store.putNote(makeNote('a.md', [['one', [1, 0, 0, 0]]]), SPACE);
      expect(await near([1, 0, 0, 0])).toHaveLength(1);
    });
  });
}
