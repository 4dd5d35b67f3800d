import { describe, expect, it } from 'vitest';
import { createClassifier } from '../../../lib/vault/sensitivity.js';

const classifier = createClassifier({
  default: 'internal',
  paths: { '02-areas/health/': 'private', 'blog/': 'public', '*.secret.md': 'secret' },
});

describe('classifier', () => {
  it.each([
    ['notes/a.md', undefined, 'internal'],
    ['notes/a.md', 'public', 'public'],
    ['notes/a.md', 'secret', 'secret'],
    ['blog/post.md', undefined, 'public'],
    ['blog/post.md', 'private', 'private'],
    ['02-areas/health/x/y.md', undefined, 'private'],
    ['02-areas/health/x.md', 'public', 'private'],
    ['blog/keys.secret.md', 'public', 'secret'],
  ] as const)('%s, saying %s, is %s', (path, own, expected) => {
    expect(classifier.classOf(path, own)).toBe(expected);
  });

  it('has another fingerprint for other settings', () => {
    expect(createClassifier({ default: 'public', paths: {} }).fingerprint).not.toBe(classifier.fingerprint);
  });
});
