import { describe, expect, it } from 'vitest';
import { createScorer } from '../../lib/scoring/scorer.js';
import type { Article } from '../../runner/items.js';
import { MemoryLedger } from '../../store/memory-ledger.js';
import { DEFAULTS } from '../../workspace/routing.js';
import { replay } from '../../workspace/triage/replay.js';
import { fixtureItems } from '../lib/scoring/feed.js';
import { shippedSettings } from '../lib/scoring/shipped.js';

describe('replay of 5,000 items', () => {
  it('takes at most 5 s of processor time', async () => {
    const ledger = new MemoryLedger();
    const items = (['belong', 'review', 'noise'] as const).flatMap(fixtureItems);
    for (let n = 0; n < 5000; n++) {
      const { title, url, text, tags, feed } = items[n % items.length] ?? { title: '', url: '', feed: '' };
      const article: Article = {
        source: { name: feed, kind: 'feed' },
        title,
        url,
        tags: tags ?? [],
        ...(text === undefined ? {} : { markdown: text }),
      };
      const at = '2026-05-01T00:00:00.000Z';
      const row = { id: String(n), source: feed, title, url, outcome: 'skipped', firstSeen: at, lastSeen: at } as const;
      await ledger.put({ ...row, article: JSON.stringify(article) });
    }
    const scorer = createScorer(shippedSettings());
    const tools = { ledger } as unknown as Parameters<typeof replay>[0];
    const started = process.cpuUsage();
    const report = await replay(tools, scorer, { weights: scorer.weights(), thresholds: DEFAULTS });
    const { user, system } = process.cpuUsage(started);
    expect(report.scored).toBe(5000);
    expect(report.moves.length).toBeGreaterThan(1000);
    // Processor time, not wall time: other work on the machine is not replay's.
    expect((user + system) / 1e6).toBeLessThan(5);
  }, 120_000);
});
