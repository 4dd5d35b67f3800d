import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../../runner/errors.js';
import type { OpenOptions } from '../../../stages/embed/models/open.js';
import type { ChunkStore, VectorSpace } from '../../../store/types.js';
import { openFollowingEmbedder } from '../../../workspace/models/following-embedder.js';
import { wordEmbedder } from '../../support/word-embedder.js';

const options: OpenOptions = {
  models: {},
  modelsDir: '/nowhere',
  fetch: () => Promise.reject(new Error('The network was used.')),
  sleep: async () => undefined,
  clock: { now: () => 0 },
  env: {},
  offline: true,
};
const open = (id: string) => {
  if (id === 'missing') throw new PipelineError('no-model', 'It is not on this machine.');
  return wordEmbedder(id);
};
const space = (model: string, fingerprint = wordEmbedder(model).fingerprint): VectorSpace => ({
  model,
  fingerprint,
  dimensions: 16,
});
/** Only the method that is asked; an object of another shape would not do either. */
const storeWith = (active: () => VectorSpace | undefined) => async () =>
  ({ activeSpace: async () => active() }) as ChunkStore;

describe('the embedder that follows its index', () => {
  it('is the configured model while the index has no vectors, or no index is there', async () => {
    expect(
      (
        await openFollowingEmbedder(
          'next',
          options,
          storeWith(() => undefined),
          open,
        )
      ).id,
    ).toBe('next');
    const none = () => Promise.reject(new PipelineError('store-missing', 'There is no index.'));
    expect((await openFollowingEmbedder('next', options, none, open)).id).toBe('next');
  });

  it('is the model of the index until the index changes, then the configured one', async () => {
    let active = space('former');
    const embedder = await openFollowingEmbedder(
      'next',
      options,
      storeWith(() => active),
      open,
    );
    expect([embedder.id, embedder.fingerprint]).toEqual(['former', space('former').fingerprint]);
    active = space('next');
    await embedder.settle?.();
    expect([embedder.id, embedder.fingerprint]).toEqual(['next', space('next').fingerprint]);
    expect(await embedder.embed(['a'], 'query')).toEqual(await wordEmbedder('next').embed(['a'], 'query'));
  });

  it('is the configured model when the one of the index has changed or is gone', async () => {
    const changed = storeWith(() => space('former', 'other'));
    expect((await openFollowingEmbedder('next', options, changed, open)).id).toBe('next');
    const gone = storeWith(() => space('missing'));
    expect((await openFollowingEmbedder('next', options, gone, open)).id).toBe('next');
    const updated = storeWith(() => space('next', 'older table'));
    expect((await openFollowingEmbedder('next', options, updated, open)).fingerprint).toBe(space('next').fingerprint);
  });

  it('answers with the model of the index when the configured one is not there, and fails when neither is', async () => {
    expect(
      (
        await openFollowingEmbedder(
          'missing',
          options,
          storeWith(() => space('former')),
          open,
        )
      ).id,
    ).toBe('former');
    const nothing = storeWith(() => undefined);
    await expect(openFollowingEmbedder('missing', options, nothing, open)).rejects.toMatchObject({ code: 'no-model' });
  });
});
