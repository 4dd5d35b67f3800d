import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../runner/errors.js';
import { type Article, derive, makeItem, type Signal } from '../../runner/items.js';
import { contentHash, mergeRow, recordItem, rowFor } from '../../store/ledger-row.js';
import { MemoryLedger } from '../../store/memory-ledger.js';

const now = Date.parse('2026-05-01T10:00:00Z');
const article: Article = {
  source: { name: 'blog', kind: 'feed' },
  key: 'guid:1',
  url: 'https://example.org/a?utm_source=x',
  canonicalUrl: 'https://example.org/a',
  title: 'A title',
  tags: [],
  markdown: 'Body',
};
const signal: Signal = {
  article,
  domain: 'web',
  domainSecond: 'design',
  decision: 'write',
  reason: '0.61: good',
  scores: {
    relevance: 0.6,
    actionability: 0.6,
    depth: 0.6,
    authority: 0.7,
    composite: 0.61,
    evidence: { relevance: [], actionability: [], depth: [], authority: [] },
  },
};
const written = makeItem('WrittenNote', { path: '05-signals/web/a.md', change: 'created', signal }, 'guid:1');

describe('rowFor', () => {
  it('maps a written note with scores, domain, note and content', () => {
    const row = rowFor({ item: written, outcome: 'out', stage: 'write-note' }, { now });
    expect(row).toMatchObject({
      id: 'guid:1',
      source: 'blog',
      url: 'https://example.org/a',
      outcome: 'written',
      domain: 'web',
      domainSecond: 'design',
      note: '05-signals/web/a.md',
      reason: '0.61: good',
      firstSeen: '2026-05-01T10:00:00.000Z',
      contentHash: contentHash(article),
    });
    expect(JSON.parse(row?.article ?? '')).toEqual(article);
  });

  it('maps review, below-threshold, unscored, duplicate and failed', () => {
    const review = derive(written, 'WrittenNote', {
      path: '00-inbox/a.md',
      change: 'created',
      signal: { ...signal, decision: 'review' },
    });
    expect(rowFor({ item: review, outcome: 'out', stage: 'write-note' }, { now })?.outcome).toBe('review');
    const scored = makeItem('Signal', { ...signal, decision: 'skip', reason: '0.21: thin' });
    const drop = { item: scored, outcome: 'dropped', stage: 'route' } as const;
    expect(rowFor({ ...drop, reason: 'below-threshold' }, { now })).toMatchObject({
      outcome: 'skipped',
      reason: '0.21: thin',
    });
    expect(rowFor({ ...drop, reason: 'unscored' }, { now })?.outcome).toBe('unscored');
    const plain = makeItem('Article', article);
    const duplicate = rowFor(
      { item: plain, outcome: 'dropped', stage: 'dedupe', reason: 'duplicate', detail: 'same as b' },
      { now },
    );
    expect(duplicate).toMatchObject({ outcome: 'duplicate', reason: 'same as b' });
    expect(duplicate).not.toHaveProperty('article');
    const error = new PipelineError('http-404', 'HTTP 404 for https://example.org/a.');
    expect(rowFor({ item: plain, outcome: 'failed', stage: 'fetch-page', error }, { now })).toMatchObject({
      outcome: 'failed',
      reason: 'fetch-page: HTTP 404 for https://example.org/a. [http-404]',
    });
  });

  it('has no row for what was not taken in', () => {
    const query = makeItem('Query', { text: 'q', filter: {}, limit: 5 });
    expect(rowFor({ item: query, outcome: 'out', stage: 'x' }, { now })).toBeUndefined();
    expect(rowFor({ item: makeItem('Signal', signal), outcome: 'out', stage: 'score' }, { now })).toBeUndefined();
  });

  it('scrubs all text and takes the aliases', () => {
    const scrubValue = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[REDACTED:test]'));
    const leaky = {
      ...article,
      title: 'hunter2',
      url: 'https://e.org/?t=hunter2',
      canonicalUrl: 'https://e.org/hunter2',
    };
    const item = makeItem('Article', { ...leaky, markdown: 'hunter2' }, 'guid:1');
    const row = rowFor(
      { item, outcome: 'failed', stage: 'extract', error: new Error('hunter2 failed') },
      { now, scrubber: { scrubValue }, aliases: (a) => [`url:${a.title.length}`] },
    );
    expect(JSON.stringify(row)).not.toContain('hunter2');
    expect(row?.aliases).toEqual(['url:7']);
  });
});

describe('recordItem', () => {
  it('never lets a repeat or a failed update hide a filed note', async () => {
    const ledger = new MemoryLedger();
    await recordItem(ledger, { item: written, outcome: 'out', stage: 'write-note' }, { now });
    const again = makeItem('Article', article);
    const later = { now: now + 1000 };
    await recordItem(ledger, { item: again, outcome: 'dropped', stage: 'dedupe', reason: 'seen' }, later);
    expect(await ledger.get('guid:1')).toMatchObject({ outcome: 'written', lastSeen: '2026-05-01T10:00:01.000Z' });
    await recordItem(ledger, { item: again, outcome: 'failed', stage: 'extract', error: new Error('no') }, later);
    expect(await ledger.get('guid:1')).toMatchObject({
      outcome: 'written',
      note: '05-signals/web/a.md',
      reason: 'update failed: extract: no (the earlier note stays)',
    });
  });

  it('gives a copy from another source a row of its own that leads to the item', async () => {
    const ledger = new MemoryLedger();
    const first = { ...article, aliases: ['guid:1', 'url:a'] };
    const item = derive(written, 'WrittenNote', {
      path: 'a.md',
      change: 'created',
      signal: { ...signal, article: first },
    });
    await recordItem(ledger, { item, outcome: 'out', stage: 'write-note' }, { now });
    const copy = makeItem('Article', {
      ...article,
      source: { name: 'other', kind: 'feed' as const },
      canonicalUrl: 'https://other.example/a',
      aliases: ['url:a'],
    });
    const drop = {
      item: copy,
      outcome: 'dropped',
      stage: 'dedupe',
      reason: 'duplicate',
      detail: 'same story',
    } as const;
    const row = await recordItem(ledger, drop, { now });
    expect(row).toMatchObject({ outcome: 'duplicate', source: 'other', reason: 'duplicate of guid:1: same story' });
    expect((await ledger.find(['url:a']))?.id).toBe('guid:1');
    expect(await ledger.get('guid:1')).toMatchObject({ outcome: 'written', source: 'blog' });
  });

  it('keeps what the user decided', () => {
    const good = rowFor({ item: written, outcome: 'out', stage: 'write-note' }, { now });
    if (!good) throw new Error('a row was expected');
    const decided = { ...good, domain: 'design', decidedBy: 'user' as const, reason: 'accepted by you' };
    expect(mergeRow(decided, { ...good, domain: 'web', outcome: 'review' })).toMatchObject({
      outcome: 'written',
      domain: 'design',
      reason: 'accepted by you',
    });
  });

  it('lets a retry replace a failure', () => {
    const failed = rowFor({ item: makeItem('Article', article), outcome: 'failed', stage: 'x' }, { now });
    const good = rowFor({ item: written, outcome: 'out', stage: 'write-note' }, { now: now + 5 });
    if (!failed || !good) throw new Error('both rows were expected');
    expect(mergeRow(failed, good)).toMatchObject({ outcome: 'written', firstSeen: failed.firstSeen });
  });
});
