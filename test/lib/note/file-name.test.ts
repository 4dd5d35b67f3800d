import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameFor, withMark } from '../../../lib/note/file-name.js';

describe('fileNameFor', () => {
  it.each([
    ['Queues: what waits?', 'Queues - what waits.md'],
    ['a/b\\c|d', 'a-b-c-d.md'],
    ['  ...hidden', 'hidden.md'],
    ['CON', '_CON.md'],
    ['lpt1.notes', '_lpt1.notes.md'],
    ['Say "hi" [now] #tag ^x', "Say 'hi' now tag x.md"],
    ['???', 'Untitled.md'],
    ['ends with dots...', 'ends with dots.md'],
    ['日本語のタイトル：テスト', '日本語のタイトル：テスト.md'],
    ['line\nbreak\tand\u0000null', 'line break and null.md'],
  ])('%j -> %j', (title, name) => {
    expect(fileNameFor(title)).toBe(name);
  });

  it('is legal everywhere, short enough, and stable, for any title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (title) => {
        const name = fileNameFor(title);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(124);
        expect(name).not.toMatch(/[\\/:*?"<>|#^[\]\0-\x1f]/);
        expect(name).not.toMatch(/^[.\s]|[.\s]\.md$/);
        expect(name).not.toMatch(/\p{Cs}/u);
        expect(fileNameFor(title)).toBe(name);
      }),
    );
  });

  it('marks a name before its extension', () => {
    expect(withMark('a.b.md', 'x1')).toBe('a.b (x1).md');
  });
});
