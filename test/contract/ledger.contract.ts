/** The contract of every Ledger. A ledger's own test file calls this with a way to open an empty one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger, LedgerFilter, LedgerRow } from '../../store/ledger.js';

export const row = (id: string, more: Partial<LedgerRow> = {}): LedgerRow => ({
  id,
  source: 'feed',
  title: `Title ${id}`,
  outcome: 'skipped',
  firstSeen: '2026-01-01T00:00:00.000Z',
  lastSeen: '2026-01-01T00:00:00.000Z',
  ...more,
});
const scores = (composite: number) => ({
  relevance: composite,
  actionability: composite,
  depth: composite,
  authority: composite,
  composite,
  evidence: { relevance: [{ cue: 'rust', weight: 0.4 }], actionability: [], depth: [], authority: [] },
});
/** The ids a filter lists, in order. */
export async function ids(ledger: Ledger, filter: LedgerFilter): Promise<string[]> {
  const found: string[] = [];
  for await (const r of ledger.list(filter)) found.push(r.id);
  return found;
}

export function ledgerContract(name: string, open: () => Ledger | Promise<Ledger>): void {
  describe(`${name}: Ledger contract`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
    });
    afterEach(() => ledger.close());

    it('gives back every field of a row', async () => {
      const full = row('a', {
        url: 'https://example.org/a',
        scores: scores(0.7),
        domain: 'web',
        domainSecond: 'design',
        note: '05-signals/web/a.md',
        reason: 'why',
        decidedBy: 'user',
        contentHash: 'ff',
        article: '{}',
        trail: '[]',
        aliases: ['guid:1', 'url:a'],
      });
      await ledger.put(full);
      expect(await ledger.get('a')).toEqual(full);
      expect(await ledger.byNote('05-signals/web/a.md')).toEqual(full);
      expect(await ledger.find(['nothing', 'url:a'])).toEqual(full);
      expect(await ledger.find(['a'])).toEqual(full);
      expect(await ledger.find(['nothing'])).toBeUndefined();
    });

    it('lists everything else it holds, for copies', async () => {
      const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
        const found: T[] = [];
        for await (const item of items) found.push(item);
        return found;
      };
      for (const name of ['b', 'A']) await ledger.setSourceState({ name, failures: 1, items: 2 });
      const paths = Array.from({ length: 450 }, (_, i) => `n/${String(i).padStart(3, '0')}.md`);
      await ledger.apply({ written: paths.map((path) => ({ path, text: `of ${path}` })) });
      const action = { action: 'accept' as const, rows: [], files: [], labels: [], written: [] };
      for (const at of ['2026-02-01', '2026-01-01']) await ledger.apply({ journal: { at, ...action } });
      expect(await all(ledger.sourceStates())).toEqual(['A', 'b'].map((name) => ({ name, failures: 1, items: 2 })));
      expect(await all(ledger.allWritten())).toEqual(paths.map((path) => ({ path, text: `of ${path}` })));
      expect((await all(ledger.actions())).map(({ at }) => at)).toEqual(['2026-02-01', '2026-01-01']);
    });

    it('keeps firstSeen and earlier aliases on update', async () => {
      await ledger.put(row('a', { aliases: ['x'] }));
      await ledger.put(row('a', { aliases: ['y'], firstSeen: '2026-02-02T00:00:00.000Z', outcome: 'written' }));
      expect(await ledger.get('a')).toMatchObject({
        firstSeen: '2026-01-01T00:00:00.000Z',
        outcome: 'written',
        aliases: ['x', 'y'],
      });
    });

    it('filters and orders', async () => {
      await ledger.put(row('a', { lastSeen: '2026-01-03T00:00:00.000Z', scores: scores(0.2) }));
      await ledger.put(
        row('b', { lastSeen: '2026-01-05T00:00:00.000Z', outcome: 'review', note: 'n.md', domain: 'web' }),
      );
      await ledger.put(row('c', { lastSeen: '2026-01-05T00:00:00.000Z', scores: scores(0.6), source: 'other' }));
      await ledger.put(row('d', { title: '100% RUST_lang', url: 'https://example.org/d' }));
      const cases: [LedgerFilter, string[]][] = [
        [{}, ['b', 'c', 'a', 'd']],
        [{ limit: 2 }, ['b', 'c']],
        [{ outcome: ['review', 'failed'] }, ['b']],
        [{ source: 'other' }, ['c']],
        [{ domain: 'web' }, ['b']],
        [{ since: '2026-01-03T00:00:00.000Z', until: '2026-01-05T00:00:00.000Z' }, ['a']],
        [{ minComposite: 0.2 }, ['c', 'a']],
        [{ maxComposite: 0.5 }, ['a']],
        [{ hasNote: true }, ['b']],
        [{ hasNote: false, source: 'feed' }, ['a', 'd']],
        [{ text: 'rust_' }, ['d']],
        [{ text: '0%' }, ['d']],
        [{ text: '%' }, ['d']],
        [{ text: 'EXAMPLE.org' }, ['d']],
      ];
      for (const [filter, expected] of cases) expect([filter, await ids(ledger, filter)]).toEqual([filter, expected]);
    });

    it('lists a snapshot while rows change', async () => {
      for (let n = 0; n < 450; n++) await ledger.put(row(`r${String(n).padStart(3, '0')}`));
      let seen = 0;
      for await (const r of ledger.list({})) {
        seen++;
        await ledger.put({ ...r, lastSeen: '2027-01-01T00:00:00.000Z' });
      }
      expect(seen).toBe(450);
    });

    it('keeps what was written, source state, and labels in order', async () => {
      await ledger.setLastWritten('a.md', 'text');
      expect(await ledger.lastWritten('a.md')).toBe('text');
      await ledger.setLastWritten('a.md', undefined);
      expect(await ledger.lastWritten('a.md')).toBeUndefined();
      await ledger.setSourceState({ name: 's', failures: 2, items: 5, idRule: 'url' });
      expect(await ledger.sourceState('s')).toEqual({ name: 's', failures: 2, items: 5, idRule: 'url' });
      await ledger.addLabel({ id: 'b', at: '2026-01-02T00:00:00.000Z', kind: 'accepted', domain: 'web' });
      await ledger.addLabel({ id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'deleted' });
      await ledger.addLabel({ id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'deleted' });
      const labels = [];
      for await (const l of ledger.labels()) labels.push(`${l.id} ${l.kind} ${l.domain ?? '-'}`);
      expect(labels).toEqual(['b accepted web', 'a deleted -']);
    });

    it('journals an action and forgets it when undone', async () => {
      const label = { id: 'a', at: '2026-01-02T00:00:00.000Z', kind: 'rejected' } as const;
      await ledger.apply({
        rows: [row('a', { outcome: 'skipped' })],
        labels: [label],
        journal: { at: label.at, action: 'reject', rows: [row('a')], files: [], labels: [label], written: [] },
      });
      const last = await ledger.lastAction();
      expect(last).toMatchObject({ action: 'reject', labels: [label] });
      await ledger.apply({ rows: last?.rows ?? [], removeLabels: [label], undone: last?.seq ?? -1 });
      expect(await ledger.lastAction()).toBeUndefined();
      for await (const l of ledger.labels()) expect.unreachable(`label ${l.kind} is still there`);
    });

    it('forgets articles and rows by age and outcome only', async () => {
      await ledger.put(row('old', { article: '{}', trail: '[]', aliases: ['old-alias'] }));
      await ledger.put(row('kept', { article: '{}', outcome: 'written' }));
      await ledger.put(row('new', { article: '{}', lastSeen: '2026-06-01T00:00:00.000Z' }));
      const before = '2026-03-01T00:00:00.000Z';
      expect(await ledger.retain({ outcome: ['skipped'], articlesBefore: before })).toEqual({ articles: 1, rows: 0 });
      expect(await ledger.get('old')).not.toHaveProperty('article');
      expect(await ledger.retain({ outcome: ['skipped'], rowsBefore: before })).toEqual({ articles: 0, rows: 1 });
      expect(await ledger.find(['old-alias'])).toBeUndefined();
      expect(await ids(ledger, {})).toEqual(['new', 'kept']);
    });
  });
}

/** A change that a database refuses part of leaves nothing behind; the memory ledger has nothing to refuse. */
export async function expectRollback(ledger: Ledger): Promise<void> {
  const broken = { ...row('b'), title: null as unknown as string };
  await expect(ledger.apply({ rows: [row('a'), broken] })).rejects.toMatchObject({
    code: expect.stringMatching(/-failed$/),
  });
  expect(await ledger.get('a')).toBeUndefined();
}
