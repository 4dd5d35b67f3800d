import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

const NOTES: Record<string, string> = {
  'security/tokens.md': `---
title: Token rotation
domain: security
tags: [auth, tokens]
updated: 2026-05-01
---
## Rotating keys

Refresh tokens are rotated on every use; a reused one revokes the family.
`,
  'devops/deploy.md': `---
title: Deployments
domain: devops
updated: 2024-01-01
---
## Blue and green

Two environments take turns, so that a rollback is a switch of the load balancer.
`,
};

let vault: string;
let state: string;
const run = (...args: string[]) => runCli([...args, '--vault', vault], { state });
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

beforeAll(async () => {
  vault = temporaryFolder('search');
  state = temporaryFolder('state');
  for (const [path, text] of Object.entries(NOTES)) {
    mkdirSync(join(vault, path, '..'), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  expect((await run('index')).code).toBe(0);
});

describe('pipeline search', () => {
  test('prints the fields scripts rely on', async () => {
    const answer = await json('search', 'how are refresh tokens rotated');
    expect(answer).toMatchObject({ query: 'how are refresh tokens rotated', good: true });
    expect(answer.results).toHaveLength(answer.count);
    expect(answer.results[0]).toMatchObject({
      file_path: 'security/tokens.md',
      section: 'Rotating keys',
      lines: [7, 9],
      title: 'Token rotation',
      domain: 'security',
      tags: ['auth', 'tokens'],
      updated: '2026-05-01',
      bm25_rank: 1,
      vec_rank: 1,
    });
    expect(answer.results[0].excerpt).toContain('rotated');
  });
  test('filters before it ranks', async () => {
    const found = await json('search', 'tokens environments', '--domain', 'devops');
    expect(found.results.map((r: { file_path: string }) => r.file_path)).toEqual(['devops/deploy.md']);
  });
  test('explains ranks, matched terms, filters and times to a person', async () => {
    const { code, stdout } = await run('search', 'rotated tokens', '--explain', '--domain', 'security');
    expect(code).toBe(0);
    for (const part of ['security/tokens.md', 'rotated', 'match-text', 'security', 'ms'])
      expect(stdout).toContain(part);
  });
  test('a query that only excludes is an empty list with a hint; a blank one is a usage error', async () => {
    const { count, notices } = await json('search', '-tokens');
    expect([count, notices[0].code]).toEqual([0, 'nothing-wanted']);
    expect((await run('search', '  ')).code).toBe(2);
  });
  test('gibberish is no confident hit', async () => {
    expect(await json('search', 'qzxv wkjp')).toMatchObject({ good: false });
  });
  test('an unknown format and a missing index say what to do', async () => {
    const bad = await run('search', 'tokens', '--format', 'rtf');
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('Use one of')]);
    const none = await runCli(['search', 'tokens', '--vault', vault], { state: temporaryFolder('empty') });
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('pipeline index')]);
  });
});

describe('pipeline index NOTE', () => {
  test('looks at the named notes only, by their path in the vault or from the current folder', async () => {
    const write = (path: string, text: string) => writeFileSync(join(vault, path), text);
    write('security/zebra.md', '# Zebra\n\nStripes confuse flies.\n');
    write('devops/okapi.md', '# Okapi\n\nLooks like a zebra, is none.\n');
    const first = await json('index', 'security/zebra.md');
    expect(first).toMatchObject({ in: 1, written: 1 });
    const files = async () => (await json('search', 'zebra')).results.map((r: { file_path: string }) => r.file_path);
    expect(await files()).toContain('security/zebra.md');
    expect(await files()).not.toContain('devops/okapi.md');
    const second = await runCli(['index', 'okapi.md', '--vault', vault, '--json'], {
      state,
      cwd: join(vault, 'devops'),
    });
    expect(JSON.parse(second.stdout)).toMatchObject({ written: 1 });
    expect(await files()).toContain('devops/okapi.md');
  });
  test('says when there is nothing to do, and does not take notes with --full', async () => {
    expect((await run('index', 'security/tokens.md')).stderr).toContain('no such note');
    expect((await run('index', 'security/tokens.md', '--full')).code).toBe(2);
  });
});

describe('pipeline eval', () => {
  test('measures all arms on own questions and lists what was missed', async () => {
    const file = join(vault, 'questions.jsonl');
    const questions = [
      { query: 'refresh tokens rotated', expected: 'security/tokens.md' },
      { query: 'refresh tokens revoked', expected: ['devops/other.md'] },
    ];
    writeFileSync(file, questions.map((question) => JSON.stringify(question)).join('\n'));
    const { arms, queries } = await json('eval', file);
    expect(queries).toBe(2);
    expect(Object.keys(arms)).toEqual(['grep', 'bm25', 'vector', 'rrf', 'search']);
    expect(arms.search.hit1).toBe(0.5);
    const shown = await run('eval', file, '--show-misses');
    expect(shown.stdout).toContain('refresh tokens revoked');
  });
  test('measures a collection without a vault', async () => {
    const folder = temporaryFolder('beir');
    const documents = ['cats purr when they are content', 'stars burn hydrogen', 'bread needs yeast'];
    const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
    writeFileSync(join(folder, 'corpus.jsonl'), lines(documents.map((text, i) => ({ _id: `d${i}`, title: '', text }))));
    writeFileSync(join(folder, 'queries.jsonl'), lines([{ _id: 'q', text: 'what do stars burn' }]));
    writeFileSync(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq\td1\t1\n');
    const { stdout, code } = await runCli(['eval', '--beir', folder, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ queries: 1, arms: { search: { ndcg10: 1 }, bm25: { ndcg10: 1 } } });
  });
  test('wants either a file or a collection', async () => {
    expect((await run('eval')).code).toBe(2);
    expect((await run('eval', 'none.jsonl')).code).toBe(2);
  });
});
