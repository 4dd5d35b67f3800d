/** Notes and vector spaces that the contract of the stores is written with. */
import type { Chunk, IndexedNote, NoteLink, NoteMeta } from '../../runner/items.js';
import type { VectorSpace } from '../../store/types.js';

export const SPACE: VectorSpace = { fingerprint: 'model-a', model: 'a', dimensions: 4 };
export const OTHER: VectorSpace = { fingerprint: 'model-b', model: 'b', dimensions: 8 };

/** 64 hex digits that stand for a SHA-256. */
export function fakeHash(seed: string): string {
  return Buffer.from(seed.padEnd(32, '.').slice(0, 32)).toString('hex');
}

export interface NoteParts {
  readonly meta?: Partial<NoteMeta>;
  readonly links?: readonly NoteLink[];
  readonly mtimeNs?: string;
  readonly recipe?: string;
}

/** A note of one chunk a text; a chunk's hash follows its text. */
export function makeNote(
  path: string,
  chunks: readonly (string | readonly [text: string, vector: readonly number[]])[],
  { meta = {}, links = [], mtimeNs = '1', recipe }: NoteParts = {},
): IndexedNote {
  const texts = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : chunk[0]));
  return {
    file: {
      path,
      change: 'new',
      stat: { size: 10, mtimeNs },
      hash: fakeHash(`${path}${texts.join()}`),
      ...(recipe === undefined ? {} : { recipe }),
    },
    meta: { title: path, tags: [], ...meta },
    links,
    chunks: chunks.map((chunk, index): Chunk => {
      const text = texts[index] ?? '';
      const vector = typeof chunk === 'string' ? undefined : Float32Array.from(chunk[1]);
      return {
        index,
        section: `Section ${index}`,
        headingContext: meta.title ?? path,
        text,
        lines: [index * 2 + 1, index * 2 + 2],
        hash: fakeHash(text),
        ...(vector ? { vector } : {}),
      };
    }),
  };
}

export const link = (target: string, line = 1): NoteLink => ({ target, embed: false, line });
