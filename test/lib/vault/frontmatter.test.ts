import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFrontmatter, setFrontmatterKey } from '../../../lib/vault/frontmatter.js';

describe('reading', () => {
  test('gives data, the span, and nothing for a note without', () => {
    const { data, span } = readFrontmatter('---\ntitle: A\ntags: [x, y]\n---\nbody\n');
    expect(data).toEqual({ title: 'A', tags: ['x', 'y'] });
    expect(span).toMatchObject({ lastLine: 4, end: 30 });
    expect(readFrontmatter('# No\n---\na: b\n---\n').span).toBeUndefined();
    expect(readFrontmatter('--- x\na: b\n---\n').span).toBeUndefined();
    expect(readFrontmatter('---\nnever: closed\n').span).toBeUndefined();
  });

  test.each([
    ['a bad indent', '---\ntitle: ok\nlist: [a\nb: c\n---\n', /./],
    ['a list instead of keys', '---\n- a\n- b\n---\n', /key: value/],
    ['a template placeholder', '---\ntitle: "x\n---\n', /./],
  ])('%s is reported with its line and does not throw', (_, text, message) => {
    const { problem } = readFrontmatter(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.line).toBeGreaterThanOrEqual(2);
    expect(setFrontmatterKey(text, 'a', 1)).toBeUndefined();
  });

  test('entity expansion is bounded', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `b${i}: &b${i} [${Array(9)
          .fill(i === 1 ? '*a' : `*b${i - 1}`)
          .join()}]`,
      );
    expect(readFrontmatter(`---\n${bomb.join('\n')}\n---\n`).problem).toBeDefined();
  });
});

describe('setting one key', () => {
  const note =
    '---\r\n# a comment\r\ntitle: "Quoted"   # why\r\nlist:\r\n  - a\r\n  - b\r\nempty:\r\nlast: 1\r\n---\r\nBody\r\n';
  test.each([
    ['title', 'New', note.replace('title: "Quoted"   # why', 'title: New')],
    ['list', ['c'], note.replace('list:\r\n  - a\r\n  - b', 'list:\r\n  - c')],
    ['empty', true, note.replace('empty:', 'empty: true')],
    ['last', 2, note.replace('last: 1', 'last: 2')],
    ['last', undefined, note.replace('last: 1\r\n', '')],
    ['added', 'x', note.replace('last: 1\r\n', 'last: 1\r\nadded: x\r\n')],
  ])('%s = %j changes only its own lines', (key, value, expected) => {
    expect(setFrontmatterKey(note, key, value)).toBe(expected);
  });

  test('a note without frontmatter gets one, after the byte order mark', () => {
    expect(setFrontmatterKey('\uFEFFBody\n', 'a', 1)).toBe('\uFEFF---\na: 1\n---\nBody\n');
    expect(setFrontmatterKey('Body\n', 'a', undefined)).toBe('Body\n');
    expect(setFrontmatterKey('---\n---\nBody\n', 'a', 1)).toBe('---\na: 1\n---\nBody\n');
  });

  test('whatever the keys and values, the other bytes stay and the value reads back', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.stringMatching(/^[ -~]{0,8}$/)));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, value), { selector: ([k]) => k, minLength: 2, maxLength: 5 }),
        (entries) => {
          let text = 'Body --- stays\n';
          for (const [k, v] of entries) text = setFrontmatterKey(text, k, v) ?? text;
          expect(readFrontmatter(text).data).toEqual(Object.fromEntries(entries));
          const [first] = entries[0] ?? [''];
          const changed = setFrontmatterKey(text, first, 'other') ?? '';
          expect(readFrontmatter(changed).data).toEqual({ ...Object.fromEntries(entries), [first]: 'other' });
          expect(changed.endsWith('Body --- stays\n')).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });
});
