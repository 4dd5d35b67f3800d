/** Any string is a valid question: through the whole search pipeline over an index on disk, nothing throws or shows SQL. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { search } from '../../workspace/search.js';
import type { Workspace } from '../../workspace/workspace.js';
import { makeVault, type TestVault } from '../index/helpers.js';

/** 10,000 are the bar; one run of the suite on a slow machine takes half a minute for them. */
const QUERIES = 10_000;

let vault: TestVault;
let workspace: Workspace;
beforeAll(async () => {
  vault = makeVault();
  vault.put('memory.md', '# Memory\n\n## Agents\n\nDEC-0054 says multi-agent memory is kept in C++ and 全文検索.\n');
  vault.put('café.md', '# Café\n\n## Orléans\n\nVersion 2026.4.10 of src/main.py, "quoted" AND NEAR(things).\n');
  await vault.index();
  workspace = await vault.open();
});
afterAll(async () => {
  await workspace.close();
  vault.remove();
});

const parts = [
  '"',
  '""',
  '-',
  '*',
  '(',
  ')',
  ':',
  '^',
  '+',
  'NEAR(',
  'AND',
  'OR',
  'NOT',
  '{a b}',
  "'",
  ';',
  '--',
  ' ',
  '/*',
];
const words = [
  'memory',
  'C++',
  'DEC-0054',
  '2026.4.10',
  'src/main.py',
  'a:b',
  '\ud800',
  '\0',
  '全',
  '👍🏽',
  'é',
  'x'.repeat(2000),
];
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.array(fc.constantFrom(...parts, ...words), { maxLength: 20 }).map((list) => list.join('')),
  fc.array(fc.constantFrom(...parts, ...words), { maxLength: 20 }).map((list) => list.join(' ')),
);

test(`${QUERIES} random and hostile questions are answered`, async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.boolean(), async (text, prefix) => {
      if (text.trim() === '') return;
      const { answer } = await search(workspace, { text, limit: 5, prefix });
      expect(answer.count).toBe(answer.results.length);
      for (const { message } of answer.notices) expect(message).not.toMatch(/fts5|sqlite|syntax error|SELECT|MATCH /);
    }),
    { numRuns: QUERIES },
  );
}, 180_000);

test('a blank question is a usage error', async () => {
  for (const text of ['', ' \n\t'])
    await expect(search(workspace, { text, limit: 5 })).rejects.toMatchObject({ code: expect.any(String) });
});
