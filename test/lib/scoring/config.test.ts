import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { agreeing, domainsSchema, scoringSchema } from '../../../lib/scoring/config.js';
import { createScorer } from '../../../lib/scoring/scorer.js';
import { article, shippedSettings } from './shipped.js';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-scoring-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

const load = (yaml: string) => {
  writeFileSync(join(userDir, 'scoring.yaml'), yaml);
  return () => loadConfig('scoring', scoringSchema, { userDir, env: {} });
};

describe('scoring configuration', () => {
  it('ships with twelve domains of at least 150 phrases each, but for other', () => {
    const { lexicon } = shippedSettings().domains;
    expect(Object.keys(lexicon).sort()).toEqual([
      'ai-tooling',
      'career',
      'data',
      'design',
      'devops',
      'mobile',
      'other',
      'programming',
      'research',
      'security',
      'systems',
      'web',
    ]);
    for (const [domain, topics] of Object.entries(lexicon)) {
      const count = Object.values(topics).reduce((sum, t) => sum + t.phrases.length, 0);
      expect(count, domain).toBeGreaterThanOrEqual(150);
    }
  });

  it('adds a topic of the user to a domain and keeps the shipped ones', () => {
    writeFileSync(
      join(userDir, 'domains.yaml'),
      'domains:\n  lexicon:\n    data:\n      mine: { weight: 3, phrases: "frobnicator" }\n',
    );
    const domains = loadConfig('domains', domainsSchema, { userDir, env: {} });
    const scorer = createScorer({ ...shippedSettings(), domains });
    expect(scorer.score(article('The frobnicator')).domain).toMatchObject({
      domain: 'data',
      evidence: [{ cue: 'title: "frobnicator" (mine)', weight: 3 }],
    });
    expect(scorer.score(article('PostgreSQL tuning')).domain.domain).toBe('data');
  });

  it.each([
    [
      'a weight above 1',
      'scoring:\n  interests:\n    topics:\n      - { name: a, weight: 2, phrases: b }\n',
      4,
      /topics/,
    ],
    [
      'a preset that does not sum to 1',
      'scoring:\n  presets:\n    mine: { relevance: 1, actionability: 1, depth: 0, authority: 0 }\n',
      3,
      /sum to 1 but sum to 2/,
    ],
    ['a preset that is not there', 'scoring:\n  preset: mine\n', 2, /no preset "mine"/],
    ['bounds the wrong way round', 'scoring:\n  depth:\n    short-words: 5000\n', 3, /less than long-words/],
    [
      'a phrase both wanted and muted',
      'scoring:\n  interests:\n    topics:\n      - { name: deals, phrases: "Flash sale" }\n',
      4,
      /also muted/,
    ],
    ['an unknown key', 'scoring:\n  interest: {}\n', 2, /unknown key "interest"/],
  ])('reports %s with its line', (_, yaml, line, message) => {
    expect(load(yaml)).toThrowError(message);
    try {
      load(yaml)();
    } catch (error) {
      expect((error as { errors: { line: number }[] }).errors[0]?.line).toBe(line);
    }
  });

  it('reports an interest in a domain that does not exist', () => {
    const settings = shippedSettings();
    const interests = { ...settings.scoring.interests, domains: { secrity: 1 } };
    expect(() => agreeing({ ...settings, scoring: { ...settings.scoring, interests } })).toThrowError(
      /"secrity", a domain that domains.yaml does not have.*Did you mean "security"/s,
    );
  });
});

describe('authority', () => {
  it('prefers the feed prior, recognises primary sources, and moves with history', () => {
    const settings = shippedSettings();
    const at = (url: string, scorer = createScorer(settings)) => scorer.score(article('x', { url })).scores.authority;
    expect(at('https://nvd.nist.gov/vuln/detail/CVE-2026-1')).toBeGreaterThanOrEqual(0.9);
    expect(at('https://github.com/a/b/releases/tag/v1')).toBeGreaterThan(at('https://github.com/a/b'));
    expect(at('https://unknown.example/')).toBe(settings.authority.neutral);
    const set = { ...settings, authority: { ...settings.authority, feeds: { test: 0.9 } } };
    expect(at('https://www.prnewswire.com/x', createScorer(set))).toBe(0.9);
    const liked = createScorer(settings, { history: new Map([['test', { kept: 8, discarded: 0 }]]) });
    const disliked = createScorer(settings, { history: new Map([['test', { kept: 0, discarded: 8 }]]) });
    expect(at('https://unknown.example/', liked)).toBe(0.75);
    expect(at('https://unknown.example/', disliked)).toBe(0.25);
  });
});
