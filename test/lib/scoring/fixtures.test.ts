import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packagePath } from '../../../lib/package-root.js';
import { decide, explainDecision } from '../../../lib/scoring/route.js';
import { createScorer } from '../../../lib/scoring/scorer.js';
import { DEFAULTS } from '../../../workspace/routing.js';
import { article, shippedSettings } from './shipped.js';

interface FixtureItem {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly feed: string;
  readonly author?: string;
  readonly tags?: string[];
  readonly text?: string;
}

const scorer = createScorer(shippedSettings());
const judged = (['belong', 'review', 'noise'] as const).flatMap((band) => {
  const file = packagePath('fixtures', 'scoring', `${band}.yaml`);
  const items = parse(readFileSync(file, 'utf8')) as FixtureItem[];
  return items.map(({ id, title, url, feed, author, tags, text }) => {
    const item = article(title, {
      source: { name: feed, kind: 'feed' },
      url,
      tags: tags ?? [],
      ...(text === undefined ? {} : { markdown: text }),
      ...(author === undefined ? {} : { author }),
    });
    const { scores, domain } = scorer.score(item);
    return { id, band, scores, domain, decision: decide(scores.composite, DEFAULTS) };
  });
});
const wanted = { belong: 'write', review: 'review', noise: 'skip' } as const;
const find = (id: string) => {
  const found = judged.find((j) => j.id === id);
  if (!found) throw new Error(`fixture ${id} is missing`);
  return found;
};

describe('sixty realistic items', () => {
  it('land in their band, at least 54 of them', () => {
    expect(judged).toHaveLength(60);
    const missed = judged.filter((j) => j.decision !== wanted[j.band]).map((j) => `${j.id} ${j.scores.composite}`);
    expect(missed.length, `in another band: ${missed.join(', ')}`).toBeLessThanOrEqual(6);
  });

  it('never jump over a band: noise is not filed, what belongs is not skipped', () => {
    expect(judged.filter((j) => j.band === 'noise' && j.decision === 'write').map((j) => j.id)).toEqual([]);
    expect(judged.filter((j) => j.band === 'belong' && j.decision === 'skip').map((j) => j.id)).toEqual([]);
  });

  it('give a heavily tagged picture no depth', () => {
    expect(find('picture-post-tagged').scores.depth).toBeLessThanOrEqual(0.2);
    expect(find('picture-post-desk').scores.depth).toBeLessThanOrEqual(0.2);
  });

  it('say why in one readable line', () => {
    for (const { scores, decision, domain } of judged) {
      const line = explainDecision(scores, decision, domain.domain);
      expect(line).not.toContain('\n');
      expect(line.length).toBeLessThanOrEqual(400);
      for (const part of ['relevance', 'actionability', 'depth', 'authority'])
        expect(line).toMatch(new RegExp(`${part} [01]\\.\\d\\d`));
    }
    const { scores, decision, domain } = find('advisory-critical');
    expect(explainDecision(scores, decision, domain.domain)).toMatch(/^0\.\d\d write to security: .*primary source/);
  });

  it('put articles of three languages into the right domain', () => {
    expect(find('tutorial-postgres-index').domain.domain).toBe('data');
    expect(find('advisory-npm').domain.domain).toBe('security');
    expect(find('fr-avis-cert').domain.domain).toBe('security');
    expect(find('pl-poradnik-docker').domain.domain).toBe('devops');
    expect(find('pl-wiadomosc').domain.domain).toBe('ai-tooling');
    expect(find('recipe').domain.domain).toBe('other');
  });
});
