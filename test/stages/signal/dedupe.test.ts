/** One item, one note: CASES 9, updates, copies from other sources, run after run through the real runner and ledger. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../../config/load.js';
import { trackingParamsSchema, urlCleanerFrom } from '../../../config/tracking-params.js';
import { judgeIdentifiers } from '../../../lib/identity/identities.js';
import type { Article } from '../../../runner/items.js';
import { loadPipeline } from '../../../runner/load.js';
import { createResources } from '../../../runner/resources.js';
import { runPlan } from '../../../runner/run.js';
import { type AnyStage, defineStage } from '../../../runner/stage.js';
import { cleanUrl } from '../../../stages/signal/clean-url.js';
import { dedupe } from '../../../stages/signal/dedupe.js';
import { recordItem } from '../../../store/ledger-row.js';
import { MemoryLedger } from '../../../store/memory-ledger.js';

const urlCleaner = urlCleanerFrom(loadConfig('tracking-params', trackingParamsSchema, { env: {} }));
const long = (topic: string) =>
  `<p>${Array.from({ length: 90 }, (_, i) => `${topic}${i % 37} word${i}`).join(' ')}</p>`;

function article(source: string, fields: Partial<Article> & { title: string }): Article {
  return { source: { name: source, kind: 'feed' }, tags: [], published: '2026-01-05T10:00:00.000Z', ...fields };
}

/** A pipeline that files whatever `dedupe` lets through, as `write-note` would. */
function harness() {
  const ledger = new MemoryLedger();
  let now = Date.UTC(2026, 0, 5, 12);
  const run = async (articles: readonly Article[]) => {
    const source = defineStage({
      name: 'given',
      summary: 'Gives the test its articles.',
      takes: 'nothing',
      gives: 'Article',
      mode: 'source',
      config: z.strictObject({}),
      effects: ['none'],
      needs: [],
      create: () => ({
        async *run() {
          for (const data of articles) yield { data };
        },
      }),
    });
    const file = defineStage({
      name: 'file',
      summary: 'Files an article under its key.',
      takes: 'Article',
      gives: 'WrittenNote',
      mode: 'sink',
      config: z.strictObject({}),
      effects: ['none'],
      needs: [],
      create: () => ({
        run: (data) => ({
          path: `${data.key}.md`,
          change: 'created',
          signal: { article: data, domain: 'web', decision: 'write' },
        }),
      }),
    });
    const stages = [source, cleanUrl, dedupe, file] as unknown as AnyStage[];
    const plan = loadPipeline(
      {
        file: 't.yaml',
        text: 'version: 1\nname: t\nsummary: t\nsteps: [given: {}, clean-url: {}, dedupe: {}, file: {}]\n',
      },
      { registry: new Map(stages.map((stage) => [stage.name, stage])), env: {} },
    );
    now += 3_600_000;
    const clock = { now: () => now };
    const resources = createResources({ clock: () => clock, ledger: () => ledger, urlCleaner: () => urlCleaner });
    const settled = {
      settled: async (event: Parameters<typeof recordItem>[1]) => void (await recordItem(ledger, event, { now })),
    };
    const { items, report } = await runPlan<'WrittenNote'>(plan, {
      resources,
      clock,
      collect: true,
      observers: [settled],
    });
    return { notes: items.map((item) => item.data), dropped: report.dropped };
  };
  const keys = async () => {
    const rows = [];
    for await (const row of ledger.list({ outcome: ['written'] })) rows.push(row);
    return rows;
  };
  return { run, rows: keys };
}

const judged = (articles: readonly Article[]) => {
  const { unreliable } = judgeIdentifiers(articles, urlCleaner);
  return articles.map((one, index) => ({ ...one, unreliable: unreliable[index] ?? [] }));
};

describe('dedupe', () => {
  it.each<[string, (n: number) => Partial<Article>]>([
    ['one guid', (n) => ({ guid: 'same', url: `https://a.example/${n}` })],
    ['one guid and one link', (n) => ({ guid: 'same', url: `https://a.example/#${n}` })],
    ['one link with different fragments', (n) => ({ url: `https://a.example/page#part-${n}` })],
    ['the guid "N/A"', (n) => ({ guid: 'N/A', url: `https://a.example/${n}` })],
    ['one link and no guid', () => ({ url: 'https://a.example/' })],
    ['neither link nor guid', () => ({})],
  ])('keeps ten items that share %s apart, today and tomorrow', async (_, fields) => {
    const ten = judged(
      Array.from({ length: 10 }, (_, n) =>
        article('A', { title: `Item number ${n}`, summary: `Text ${n}`, ...fields(n) }),
      ),
    );
    const { run, rows } = harness();
    expect((await run(ten)).notes).toHaveLength(10);
    expect(await run(ten)).toMatchObject({ notes: [], dropped: { seen: 10 } });
    expect(await rows()).toHaveLength(10);
  });

  it.each<[string, Partial<Article>]>([
    ['retitled', { title: 'A better title for it' }],
    ['re-slugged', { url: 'https://a.example/new-slug' }],
    ['rewritten', { summary: 'Another text altogether.' }],
    ['given a new guid', { guid: 'other', summary: 'Slightly changed.' }],
  ])('passes an article that was %s on under its old key', async (_, change) => {
    const { run, rows } = harness();
    const first = article('A', { title: 'A title', guid: 'g1', url: 'https://a.example/slug', summary: 'Text.' });
    const before = await run([first]);
    const after = await run([{ ...first, ...change }]);
    expect(after.notes.map(({ path }) => path)).toEqual(before.notes.map(({ path }) => path));
    expect(await rows()).toHaveLength(1);
    expect((await run([{ ...first, ...change }])).dropped).toEqual({ seen: 1 });
  });

  it('sees through tracking parameters', async () => {
    const { run } = harness();
    const first = article('A', { title: 'A title', url: 'https://a.example/x' });
    await run([first]);
    expect((await run([{ ...first, url: 'https://a.example/x?utm_source=rss#comments' }])).dropped).toEqual({
      seen: 1,
    });
  });

  it('keeps an inferred date', async () => {
    const { run } = harness();
    const first = article('A', { title: 'Undated', guid: 'u', summary: 'One.', publishedInferred: true });
    await run([first]);
    const { notes } = await run([{ ...first, summary: 'Two.', published: '2026-03-03T00:00:00.000Z' }]);
    expect(notes[0]?.signal?.article.published).toBe('2026-01-05T10:00:00.000Z');
  });

  it.each<[string, Partial<Article>, Partial<Article>]>([
    ['the same address', { url: 'https://x.example/story' }, { url: 'http://www.x.example/story/?utm_medium=feed' }],
    ['the same long title on the same day', {}, { published: '2026-01-06T10:00:00.000Z' }],
    [
      'nearly the same text',
      { title: 'Outage explained', html: long('outage') },
      { title: 'What happened on Monday', html: `${long('outage')}<p>First published elsewhere.</p>` },
    ],
  ])('makes one note with two sources of a story told twice, by %s', async (_, one, two) => {
    for (const sameRun of [true, false]) {
      const { run, rows } = harness();
      const title = 'The long telling title of a story';
      const a = article('A', { title, guid: 'a1', ...one });
      const b = article('B', { title, guid: 'b1', ...two });
      const notes = sameRun ? (await run([a, b])).notes : [...(await run([a])).notes, ...(await run([b])).notes];
      expect(new Set(notes.map(({ path }) => path)).size).toBe(1);
      expect(notes.at(-1)?.signal?.article).toMatchObject({ source: { name: 'A' }, alsoFrom: [{ name: 'B' }] });
      expect(await rows()).toHaveLength(1);
      expect((await run([a, b])).dropped).toEqual({ seen: 2 });
    }
  });

  it('does not take two releases from one template for one story', async () => {
    const { run } = harness();
    const a = article('A', { title: 'Release 1.2 of the tool', guid: 'a', html: long('release') });
    const b = article('B', { title: 'Release 1.3 of the tool', guid: 'b', html: long('release') });
    const c = article('A', { title: 'Release notes, weekly', guid: 'c', html: `${long('release')}<p>More.</p>` });
    expect((await run([a, b, c])).notes).toHaveLength(3);
  });

  it('drops what a feed lists twice', async () => {
    const { run } = harness();
    const one = article('A', { title: 'Twice', guid: 'g', url: 'https://a.example/1' });
    expect(await run([one, one])).toMatchObject({ notes: [{}], dropped: { duplicate: 1 } });
  });

  it('tells two items of a page apart that is rewritten daily', async () => {
    const { run, rows } = harness();
    await run([article('A', { title: 'Monday', guid: 'd1', url: 'https://a.example/today' })]);
    await run([article('A', { title: 'Tuesday', guid: 'd2', url: 'https://a.example/today' })]);
    expect(await rows()).toHaveLength(2);
  });
});
