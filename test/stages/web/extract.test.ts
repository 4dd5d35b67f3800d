/** extract: when the page's text wins, when the source's own does, and what the page may correct. */
import { expect, it } from 'vitest';
import type { ExtractedPage, PageExtractor } from '../../../lib/web/types.js';
import type { Article } from '../../../runner/items.js';
import { intakeSteps } from '../../support/intake-steps.js';

const given: Article = {
  source: { name: 'Feed', kind: 'feed' },
  url: 'https://site.example/story?utm_source=feed',
  title: 'Title of the feed',
  summary: 'A teaser.',
  published: '2026-11-01T00:00:00Z',
  tags: [],
  page: { url: 'https://site.example/story', type: 'text/html', html: '<article>…</article>' },
};
const found: ExtractedPage = {
  url: 'https://site.example/story',
  title: 'Title of the page',
  byline: 'A. Writer',
  published: '2026-10-30T08:00:00Z',
  site: 'Site',
  lang: 'pl',
  canonicalUrl: 'https://site.example/the-story?utm_medium=x',
  markdown: 'The whole story, which is longer than its teaser.',
  fallback: false,
};

/** What the extractor finds, or that it fails; a feed's own text passes as it is. */
async function extracted(article: Article, page: ExtractedPage | Error, options = '') {
  const extractor: PageExtractor = {
    extract: async () => {
      if (page instanceof Error) throw page;
      return page;
    },
    toMarkdown: async (html) => html,
    close: async () => {},
  };
  const { articles, report, items } = await intakeSteps({ steps: `[extract: { ${options} }]`, extractor }).run([
    article,
  ]);
  return { article: articles[0], dropped: report.dropped, trail: JSON.stringify(items[0]?.trail) };
}

it('takes the page when it has more to say, with its canonical address and what the source left out', async () => {
  const { article } = await extracted(given, found);
  expect(article).toMatchObject({
    markdown: found.markdown,
    canonicalUrl: 'https://site.example/the-story',
    title: 'Title of the feed',
    author: 'A. Writer',
    site: 'Site',
    language: 'pl',
    published: '2026-11-01T00:00:00Z',
  });
  expect(article).not.toHaveProperty('page');
  expect(article).not.toHaveProperty('fallback');
});

it('a date that was guessed and a title that is an address are corrected by the page', async () => {
  const { article } = await extracted(
    { ...given, publishedInferred: true, title: 'https://site.example/story' },
    found,
  );
  expect(article).toMatchObject({ published: '2026-10-30T08:00:00.000Z', title: 'Title of the page' });
  expect(article).not.toHaveProperty('publishedInferred');
});

it.each(['https://site.example/', 'javascript:void(0)', 'not an address'])(
  'the canonical address %s is not believed',
  async (canonicalUrl) => {
    expect((await extracted(given, { ...found, canonicalUrl })).article?.canonicalUrl).toBe(
      'https://site.example/story',
    );
  },
);

it.each([
  ['says less', { ...found, markdown: 'Less.' }],
  ['is no article', { ...found, fallback: true }],
  ['cannot be read', new Error('took longer than 4 s')],
])('a page that %s leaves the text of the source, and says so', async (_, page) => {
  const { article, trail } = await extracted(given, page);
  expect(article).toMatchObject({ markdown: 'A teaser.', fallback: true });
  expect(trail).toContain('text of the source kept');
  expect((await extracted(given, page, 'fallback: none')).dropped).toEqual({ 'no-text': 1 });
});

it('what is no text becomes a note with a link', async () => {
  const pdf = { url: 'https://site.example/paper.pdf', type: 'application/pdf', html: '' };
  const { article } = await extracted({ ...given, page: pdf }, found);
  expect(article?.markdown).toContain('https://site.example/paper.pdf');
  expect(article?.markdown).toContain('A teaser.');
});

it('an item without a page keeps the text of its source', async () => {
  const { page: _, ...item } = given;
  expect((await extracted(item, found)).article?.markdown).toBe('A teaser.');
});
