import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

/** A scorer of the user's own, and a search step of the user's own: one file each, one YAML line each. */
const SCORE_BY_LENGTH = `
export default ({ defineStage, z }) => defineStage({
  name: 'score-by-length',
  summary: 'Scores an article by its length alone.',
  takes: 'Article',
  gives: 'Signal',
  mode: 'each',
  config: z.strictObject({ full: z.number().default(100).describe('Characters that score 1.') }),
  effects: ['none'],
  needs: [],
  create: ({ full }) => ({
    run: (article) => {
      const value = Math.min(1, (article.markdown ?? '').length / full);
      const cues = [{ cue: 'length', weight: value }];
      const scores = { relevance: value, actionability: value, depth: value, authority: value, composite: value,
        evidence: { relevance: cues, actionability: cues, depth: cues, authority: cues } };
      return { article, scores, domain: 'other' };
    },
  }),
});`;

const SHOUT = `
export default ({ defineStage, z }) => defineStage({
  name: 'shout',
  summary: 'Upper-cases the text of hits.',
  takes: 'Hit', gives: 'Hit', mode: 'each',
  config: z.strictObject({}), effects: ['none'], needs: [],
  create: () => ({ run: (hit) => ({ ...hit, text: hit.text.toUpperCase() }) }),
});`;

const INGEST = `
version: 1
name: ingest
steps:
  - feeds: { from: config/sources.yaml }
  - clean-url
  - dedupe: {}
  - fetch-page: { when: never }
  - extract: {}
  - scrub
  - score-by-length: { full: 50 }
  - route: {}
  - render-note: {}
  - write-note: {}
then: [index]
`;

const SEARCH = `
version: 1
name: search
mode: query
readOnly: true
steps:
  - match-text: { top: 10 }
  - shout
  - budget: {}
`;

function vaultWithCustomStages(): string {
  const vault = temporaryFolder('custom');
  for (const folder of ['.pipeline/stages', '.pipeline/pipelines']) mkdirSync(join(vault, folder), { recursive: true });
  writeFileSync(join(vault, '.pipeline/stages/score-by-length.mjs'), SCORE_BY_LENGTH);
  writeFileSync(join(vault, '.pipeline/stages/shout.mjs'), SHOUT);
  writeFileSync(join(vault, '.pipeline/pipelines/ingest.yaml'), INGEST);
  writeFileSync(join(vault, '.pipeline/pipelines/search.yaml'), SEARCH);
  writeFileSync(join(vault, '.pipeline/sources.yaml'), 'sources:\n  - { name: Local, kind: feed, url: feed.json }\n');
  const item = {
    id: '1',
    url: 'https://blog.example/long',
    title: 'A plain text about herons',
    content_text: 'Herons stand still in shallow water and wait for the fish to come to them. '.repeat(3),
  };
  writeFileSync(
    join(vault, 'feed.json'),
    JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Local', items: [item] }),
  );
  return vault;
}

describe('stages from the vault', () => {
  it('are refused until the vault is trusted, then replace shipped ones by YAML alone', async () => {
    const vault = vaultWithCustomStages();
    const state = temporaryFolder('state');
    const run = (...args: string[]) => runCli([...args, '--vault', vault], { state });

    const refused = await run('run', 'ingest', '--offline');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('pipeline trust');

    expect((await run('trust')).code).toBe(0);
    const ingest = await run('run', 'ingest', '--offline', '--json');
    expect(ingest.code).toBe(0);
    const report = JSON.parse(ingest.stdout) as { written: number; stages: { name: string }[] };
    expect(report.written).toBe(1);
    expect(report.stages.map((s) => s.name)).toContain('score-by-length');

    const search = await run('search', 'herons', '--json');
    const { results } = JSON.parse(search.stdout) as { results: { file_path: string; text: string }[] };
    expect(results[0]?.file_path).toMatch(/^05-signals\/other\//);
    expect(results[0]?.text).toContain('HERONS');

    const row = (await run('ledger', 'list', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { composite: number; outcome: string });
    expect(row).toMatchObject([{ outcome: 'written', composite: 1 }]);

    expect((await run('trust', '--revoke')).code).toBe(0);
    expect((await run('run', 'ingest', '--offline')).code).toBe(2);
  });
});
