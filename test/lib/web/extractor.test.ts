import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { afterAll, describe, expect, it } from 'vitest';
import { htmlToText } from '../../../lib/feeds/html.js';
import { createExtractor } from '../../../lib/web/extractor.js';
import { isHarmless } from '../../../lib/web/harmless.js';
import { extractPage } from '../../../lib/web/page.js';
import { sharedPath } from '../../shared.js';

const paragraph = 'A sentence with enough words, commas, and sense, so that this reads as an article. '.repeat(6);
const page = (body: string): string =>
  `<html lang="en"><head><title>T | Site</title><meta property="og:site_name" content="Site">
<link rel="canonical" href="/real"><meta name="author" content="Ann"></head><body>${body}</body></html>`;

describe('extractPage', () => {
  it('finds the article and its metadata', () => {
    const read = extractPage(
      page(`<nav><a href="/">Home</a></nav><article><h1>T</h1><p>${paragraph}</p><p>${paragraph}</p></article>`),
      'https://e.example/a?utm=1',
    );
    expect(read).toMatchObject({
      fallback: false,
      byline: 'Ann',
      site: 'Site',
      lang: 'en',
      canonicalUrl: 'https://e.example/real',
    });
    expect(read.markdown).toContain('enough words');
    expect(read.markdown).not.toContain('Home');
  });

  it('gives the whole body of a page without an article, and says so', () => {
    const read = extractPage('<html><body><ul><li><a href="/a">A</a></li></ul></body></html>', 'https://e.example/');
    expect(read).toMatchObject({ fallback: true, markdown: '-   [A](https://e.example/a)' });
  });

  it.each([
    ['nothing', ''],
    ['a lone bracket', '<'],
    ['NUL bytes', '\0\0\0'],
    ['300 nested tables', '<table>'.repeat(300)],
    ['2,000 unfinished tags', '<b'.repeat(2000)],
  ])('survives %s', (_name, html) => {
    expect(extractPage(html, 'https://e.example/').markdown).toBeTypeOf('string');
  });
});

describe('isHarmless', () => {
  it('takes an ordinary item, and neither a long nor a deep one, however its depth is hidden', () => {
    expect(isHarmless('<p>a<br>b<img src="x"></p>'.repeat(200))).toBe(true);
    expect(isHarmless('x'.repeat(16 * 1024 + 1))).toBe(false);
    for (const unit of ['<b>', '<ul><li>', '<blockquote></i>', '<FONT><table></b>'])
      expect(isHarmless(unit.repeat(100)), unit).toBe(false);
  });
});

describe('createExtractor', () => {
  const extractor = createExtractor({ workers: 1, timeoutMs: 4000 });
  afterAll(() => extractor.close());

  it('a page that takes too long fails alone, and the next one is read', async () => {
    // Quadratic in any reader: a million unclosed formatting elements, each reopened for each paragraph.
    const hostile = `<html><body>${'<b><p>x'.repeat(60_000)}</body></html>`;
    await expect(extractor.extract(hostile, 'https://hostile.example/')).rejects.toMatchObject({
      code: expect.stringMatching(/^extract-(timeout|failed)$/),
    });
    expect(await extractor.toMarkdown('<p>fine</p>', undefined)).toBe('fine');
  }, 150_000);
});

const pages = sharedPath('eval', 'readability');

describe.skipIf(pages === undefined)('the pages of ../shared (skipped where they are absent)', () => {
  it('reads all 67 with a word F1 of 0.95 on average, and lets no script, style or counter through', () => {
    const scores = readdirSync(pages ?? '').map((name) => {
      const read = (file: string): string => readFileSync(join(pages ?? '', name, file), 'utf8');
      const { markdown } = extractPage(read('source.html'), 'http://fakehost/test/page.html');
      const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
      expect(html).not.toMatch(/<script|<style|javascript:/i);
      return wordF1(htmlToText(html), htmlToText(withoutDrawings(read('expected.html'))));
    });
    expect(scores).toHaveLength(67);
    expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeGreaterThan(0.95);
    expect(Math.min(...scores)).toBeGreaterThan(0.8);
  }, 600_000);
});

/** The text of a drawing's elements is none of the article's. */
function withoutDrawings(html: string): string {
  return html.replace(/<svg\b[\s\S]*?<\/svg>/gi, ' ');
}

function wordF1(ours: string, expected: string): number {
  const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const [mine, theirs] = [words(ours), words(expected)];
  const left = new Map<string, number>();
  for (const word of theirs) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of mine) {
    const count = left.get(word) ?? 0;
    if (count > 0) common++;
    left.set(word, count - 1);
  }
  return (2 * common) / Math.max(1, mine.length + theirs.length);
}
