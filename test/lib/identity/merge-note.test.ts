/** The three-way update of a note: nothing the reader did is lost, nothing the source changed is missed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeNote } from '../../../lib/identity/merge-note.js';

const base = `---
title: Faster builds
tags: [build, cache]
score: 0.61
---
# Faster builds

A summary of the article.

## Key points

- One
- Two
`;

describe('mergeNote', () => {
  it('writes the new text where the reader changed nothing', () => {
    const next = base.replace('0.61', '0.72').replace('- Two', '- Two\n- Three');
    expect(mergeNote({ base, next, disk: base })).toEqual({ text: next, conflicts: 0 });
  });

  it('keeps the disk byte for byte where the source changed nothing', () => {
    const disk = base.replace('# Faster', '# Much faster').replace('score: 0.61', 'score:   0.61 # mine');
    expect(mergeNote({ base, next: base, disk })).toEqual({ text: disk, conflicts: 0 });
  });

  it('joins changes in different places', () => {
    const next = base.replace('score: 0.61', 'score: 0.72').replace('A summary of', 'A better summary of');
    const disk = `${base.replace('title: Faster builds', 'title: "Builds, faster" # renamed')}\n## My thoughts\n\nTry it.\n`;
    const { text, conflicts } = mergeNote({ base, next, disk });
    expect(conflicts).toBe(0);
    expect(text).toContain('title: "Builds, faster" # renamed');
    expect(text).toContain('score: 0.72');
    expect(text).toContain('A better summary of the article.');
    expect(text).toContain('## My thoughts\n\nTry it.\n');
  });

  it('lets the reader win where both changed the same lines, and counts it', () => {
    const next = base.replace('A summary of the article.', 'The source says X.');
    const disk = base.replace('A summary of the article.', 'I say Y.');
    const { text, conflicts } = mergeNote({ base, next, disk });
    expect(conflicts).toBe(1);
    expect(text).toContain('I say Y.');
    expect(text).not.toContain('The source says X.');
  });

  it('merges lists entry by entry', () => {
    const next = base.replace('[build, cache]', '[build, rust]');
    const disk = base.replace('[build, cache]', '[build, cache, favourite]');
    expect(mergeNote({ base, next, disk }).text).toMatch(/tags:\s*\n\s*- build\n\s*- favourite\n\s*- rust\n/);
  });

  it('does not bring back a key the reader deleted', () => {
    const next = base.replace('0.61', '0.72').replace('- Two', '- Second');
    const disk = base.replace('score: 0.61\n', '');
    const { text } = mergeNote({ base, next, disk });
    expect(text).not.toContain('score');
    expect(text).toContain('- Second');
  });

  it('keeps CRLF line ends', () => {
    const disk = `${base.replaceAll('\n', '\r\n')}Mine.\r\n`;
    const { text } = mergeNote({ base, next: base.replace('- One', '- First'), disk });
    expect(text).toContain('- First\r\n');
    expect(text).toContain('Mine.\r\n');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it("takes everything on disk for the reader's when it is not known what was written", () => {
    const next = base.replace('score: 0.61', 'score: 0.9\nsource: https://example.org/a');
    const disk = '---\ntitle: Mine\n---\nMy text.\n';
    const { text } = mergeNote({ base: undefined, next, disk });
    expect(text).toContain('title: Mine');
    expect(text).toContain('source: https://example.org/a');
    expect(text.endsWith('---\nMy text.\n')).toBe(true);
  });

  it('leaves frontmatter alone that is not YAML', () => {
    const disk = base.replace('title: Faster builds', 'title: [unclosed');
    expect(mergeNote({ base, next: base.replace('0.61', '0.9'), disk }).text).toContain('title: [unclosed\n');
  });

  it('never loses a line the reader added, whatever the source does', () => {
    const line = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.array(line), fc.array(line), fc.nat(), (old, fresh, where) => {
        const own = 'READER LINE\n';
        const text = (lines: string[]) => lines.map((one) => `${one}\n`).join('');
        const at = where % (old.length + 1);
        const disk = text(old.slice(0, at)) + own + text(old.slice(at));
        expect(mergeNote({ base: text(old), next: text(fresh), disk }).text).toContain(own);
      }),
    );
  });
});
