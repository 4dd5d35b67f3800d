/** The founders' feed collections: how much of feedparser's and gofeed's own expectations is met. Bars of issue 5. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readFeed } from '../../lib/feeds/read.js';
import { feedReport } from '../../lib/feeds/report.js';
import { sharedPath } from '../shared.js';
import { gofeedExpectations, type Json, meetsGofeed } from '../support/gofeed.js';

const root = sharedPath('eval', 'feeds');
const tool = sharedPath('tools', 'feed-expectations.mjs');
const now = Date.UTC(2026, 11, 1);
const report = (file: string): Json => feedReport(readFeed(readFileSync(file), { now }), now) as Json;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

interface FeedparserTool {
  expectations(file: string): { what: string; want: string | number }[];
  meets(expectation: { what: string; want: string | number }, json: Json): boolean;
}

describe.skipIf(root === undefined || tool === undefined)('feed collections (skipped without ../shared)', () => {
  it('meets at least 97 % of what feedparser expects, and 95 % of its dates', async () => {
    const { expectations, meets } = (await import(pathToFileURL(tool ?? '').href)) as FeedparserTool;
    const score = { all: [0, 0], date: [0, 0] } as Record<string, [number, number]>;
    for (const file of filesBelow(join(root ?? '', 'feedparser')).filter((name) => name.endsWith('.xml'))) {
      const json = report(file);
      for (const expectation of expectations(file)) {
        for (const group of expectation.what === 'date' ? ['all', 'date'] : ['all']) {
          const counts = score[group] ?? [0, 0];
          counts[1]++;
          if (meets(expectation, json)) counts[0]++;
        }
      }
    }
    const share = ([met, total]: [number, number] = [0, 1]) => met / total;
    expect(share(score['all'])).toBeGreaterThanOrEqual(0.97);
    expect(share(score['date'])).toBeGreaterThanOrEqual(0.95);
  });

  it('meets at least 95 % of what gofeed expects of titles, links, ids, dates, descriptions and authors', () => {
    let met = 0;
    let total = 0;
    for (const { file, expectations } of gofeedExpectations(filesBelow(join(root ?? '', 'gofeed')))) {
      const json = report(file);
      for (const expectation of expectations) {
        total++;
        if (meetsGofeed(expectation, json)) met++;
      }
    }
    expect(total).toBeGreaterThan(100);
    expect(met / total).toBeGreaterThanOrEqual(0.95);
  });

  it('never crashes, never takes two seconds, never calls an empty answer a success', () => {
    for (const file of filesBelow(root ?? '')) {
      const before = process.cpuUsage();
      const json = report(file);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6, file).toBeLessThan(2);
      expect((json.items?.length ?? 0) > 0 || json.error !== undefined, file).toBe(true);
      for (const { published, summary, content } of json.items ?? []) {
        expect(Date.parse(String(published)), file).toBeGreaterThan(Date.UTC(1971, 0, 1));
        expect(Date.parse(String(published)), file).toBeLessThanOrEqual(now + 86_400_000);
        expect(`${summary}${content}`, file).not.toMatch(/<script|<style|\son\w+=|href="javascript:/i);
      }
    }
  });
});
