import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DomainClassifier } from '../../../lib/scoring/domain.js';
import { measure } from '../../../lib/scoring/measure.js';
import { sharedPath } from '../../shared.js';
import { article, shippedSettings } from './shipped.js';

const file = sharedPath('eval', 'routing', 'labelled.jsonl.gz');

describe.skipIf(file === undefined)('domains of labelled titles (needs ../shared/eval/routing)', () => {
  it('reach accuracy 0.60 and macro-F1 0.50 on titles and URLs alone', () => {
    const classifier = new DomainClassifier(shippedSettings().domains);
    const lines = gunzipSync(readFileSync(file ?? ''))
      .toString('utf8')
      .trim()
      .split('\n');
    const counts = new Map<string, { right: number; given: number; real: number }>();
    const count = (domain: string) => {
      const known = counts.get(domain) ?? { right: 0, given: 0, real: 0 };
      counts.set(domain, known);
      return known;
    };
    let right = 0;
    for (const line of lines) {
      const { title, url, domain } = JSON.parse(line) as { title: string; url: string; domain: string };
      const found = classifier.classify(measure(article(title, { url, source: { name: '', kind: 'list' } }))).domain;
      count(domain).real++;
      count(found).given++;
      if (found === domain) {
        count(domain).right++;
        right++;
      }
    }
    const large = [...counts.values()].filter((c) => c.real >= 20);
    const f1 = large.reduce((sum, c) => sum + (2 * c.right) / (c.real + c.given), 0) / large.length;
    expect(right / lines.length).toBeGreaterThanOrEqual(0.6);
    expect(f1).toBeGreaterThanOrEqual(0.5);
  });
});
