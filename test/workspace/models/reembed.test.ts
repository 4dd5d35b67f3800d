import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { embeddingText } from '../../../lib/chunk/chunk.js';
import type { Chunk, IndexedNote } from '../../../runner/items.js';
import type { Embedder } from '../../../stages/embed/models/types.js';
import { createMemoryStore } from '../../../store/memory.js';
import { openSqliteStore } from '../../../store/sqlite/store.js';
import type { ChunkStore, VectorSpace } from '../../../store/types.js';
import { embeddingProgress, reembed } from '../../../workspace/models/reembed.js';
import { wordEmbedder } from '../../support/word-embedder.js';

const spaceOf = ({ id, dimensions, fingerprint }: Embedder): VectorSpace => ({ model: id, dimensions, fingerprint });
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

async function note(path: string, texts: readonly string[], embedder?: Embedder): Promise<IndexedNote> {
  const meta = { title: path, tags: ['t'] };
  const vectors = await embedder?.embed(
    texts.map((text) => embeddingText(meta, '', text)),
    'document',
  );
  const chunks = texts.map((text, index): Chunk => {
    const vector = vectors?.[index];
    const hash = sha(embeddingText(meta, '', text));
    return {
      index,
      section: '',
      headingContext: path,
      text,
      lines: [index + 1, index + 1],
      hash,
      ...(vector ? { vector } : {}),
    };
  });
  const stat = { size: texts.join().length, mtimeNs: '1' };
  const links = [{ target: 'n0', embed: false, line: 1 }];
  return { file: { path, stat, change: 'new', hash: sha(texts.join()), recipe: 'r' }, meta, chunks, links };
}

/** Six notes of two chunks with vectors of `from`, one of them without text. */
async function filled(store: ChunkStore, from: Embedder): Promise<ChunkStore> {
  for (let n = 0; n < 6; n++)
    await store.putNote(
      await note(`n${n}.md`, [`red apple number ${n}`, `green pear number ${n}`], from),
      spaceOf(from),
    );
  await store.putNote(await note('empty.md', []), spaceOf(from));
  await store.optimize();
  return store;
}

/** A clock that moves on by a second whenever the embedder works. */
function steppingClock() {
  let ms = 0;
  const tick = (): void => {
    ms += 1000;
  };
  return { clock: { now: () => ms }, tick };
}

const best = async (store: ChunkStore, embedder: Embedder, text: string): Promise<string | undefined> => {
  const [vector] = await embedder.embed([text], 'query');
  const hits = await store.matchVector(vector as Float32Array, {
    top: 1,
    filter: {},
    fingerprint: embedder.fingerprint,
  });
  return hits[0]?.path;
};

describe.each([
  ['memory', async () => createMemoryStore()],
  ['sqlite', () => openSqliteStore({ file: ':memory:' })],
] as const)('changing the model of a %s index', (_, open) => {
  it('goes on in slices, answers with the former vectors meanwhile, and changes when all are there', async () => {
    const { clock, tick } = steppingClock();
    const former = wordEmbedder('former');
    const next = wordEmbedder('next', 24, tick);
    const store = await filled(await open(), former);
    const slice = () => reembed(store, next, { clock, budgetMs: 1500, batch: 4 });

    expect(await slice()).toMatchObject({ done: 4, total: 6, active: false, embedded: 8 });
    expect(await embeddingProgress(store, spaceOf(next))).toEqual({ model: 'next', done: 4, total: 6 });
    expect((await store.activeSpace())?.model).toBe('former');
    expect(await best(store, former, 'n3.md red apple number 3')).toBe('n3.md');
    await expect(best(store, next, 'red')).rejects.toMatchObject({ code: 'vector-mismatch' });

    expect(await slice()).toMatchObject({ done: 6, total: 6, active: true, embedded: 4 });
    expect((await store.activeSpace())?.model).toBe('next');
    expect(await best(store, next, 'n5.md green pear number 5')).toBe('n5.md');
    await expect(best(store, former, 'red')).rejects.toMatchObject({ code: 'vector-mismatch' });
    // Nothing was embedded twice, and nothing is left to do.
    const texts = next.asked.filter((text) => text.includes('number'));
    expect(new Set(texts).size).toBe(13);
    expect(await slice()).toMatchObject({ done: 6, total: 6, active: true, embedded: 0 });
    await store.close();
  });

  it('keeps everything else of a note', async () => {
    const store = await filled(await open(), wordEmbedder('former'));
    const before = [await store.note('n1.md'), await store.linksFrom('n1.md'), await store.chunksOf('n1.md')];
    await reembed(store, wordEmbedder('next'), { clock: { now: () => 0 }, batch: 64 });
    const after = [await store.note('n1.md'), await store.linksFrom('n1.md'), await store.chunksOf('n1.md')];
    const spaces = { spaces: [wordEmbedder('next').fingerprint] };
    expect(after).toEqual([{ ...(before[0] as object), ...spaces }, before[1], before[2]]);
    await store.close();
  });

  it('leaves a note alone that changed while its old text was embedded; the next slice takes the new one', async () => {
    const former = wordEmbedder('former');
    const store = await filled(await open(), former);
    const plain = wordEmbedder('next');
    let changed = false;
    const next: Embedder = {
      ...plain,
      async embed(texts, kind) {
        if (!changed) {
          changed = true;
          await store.putNote(await note('n2.md', ['blue plum'], former), spaceOf(former));
        }
        return plain.embed(texts, kind);
      },
    };
    const options = { clock: { now: () => 0 }, batch: 64 };
    expect(await reembed(store, next, options)).toMatchObject({ done: 5, total: 6, active: false });
    expect((await store.chunksOf('n2.md')).map((chunk) => chunk.text)).toEqual(['blue plum']);
    expect(await reembed(store, next, options)).toMatchObject({ done: 6, total: 6, active: true });
    expect(await best(store, next, 'n2.md blue plum')).toBe('n2.md');
    await store.close();
  });

  it('a note that changes during the work has no vectors of the new model until the next slice', async () => {
    const { clock, tick } = steppingClock();
    const former = wordEmbedder('former');
    const next = wordEmbedder('next', 16, tick);
    const store = await filled(await open(), former);
    await reembed(store, next, { clock, budgetMs: 500, batch: 4 });
    await store.putNote(await note('n0.md', ['a new text altogether'], former), spaceOf(former));
    expect(await embeddingProgress(store, spaceOf(next))).toMatchObject({ done: 1, total: 6 });
    expect(await best(store, former, 'n0.md a new text altogether')).toBe('n0.md');
    await store.close();
  });

  it('keeps finished notes when the model fails, and tells', async () => {
    const store = await filled(await open(), wordEmbedder('former'));
    const plain = wordEmbedder('next');
    const failing: Embedder = {
      ...plain,
      embed: (texts, kind) =>
        plain.asked.length >= 4 ? Promise.reject(new Error('server gone')) : plain.embed(texts, kind),
    };
    await expect(reembed(store, failing, { clock: { now: () => 0 }, batch: 4 })).rejects.toThrow('server gone');
    expect(await embeddingProgress(store, spaceOf(plain))).toMatchObject({ done: 2, total: 6 });
    expect((await store.activeSpace())?.model).toBe('former');
    await store.close();
  });

  it('does nothing but look when the budget is spent, and stops at the signal', async () => {
    const store = await filled(await open(), wordEmbedder('former'));
    const next = wordEmbedder('next');
    expect(await reembed(store, next, { clock: { now: () => 0 }, budgetMs: 0, batch: 4 })).toMatchObject({
      done: 0,
      total: 6,
    });
    const stop = AbortSignal.abort();
    expect(await reembed(store, next, { clock: { now: () => 0 }, stop, batch: 4 })).toMatchObject({
      done: 0,
      total: 6,
    });
    expect(next.asked).toEqual([]);
    await store.close();
  });
});
