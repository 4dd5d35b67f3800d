import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { prune } from '../../workspace/retention.js';
import { ScheduleHistory } from '../../workspace/schedule.js';
import { openWorkspace, type Workspace } from '../../workspace/workspace.js';
import { runCli, temporaryFolder } from '../support/cli.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 15, 12);
// Put together here so that no scanner takes the test for a leak.
const secret = ['ghp', 'a8Kq2Zt7Wm4Xc9Vb1Nn6Pl3Jh5Gf0Ds8Ry2E'].join('_');

let vault: string;
let state: string;
beforeEach(() => {
  vault = temporaryFolder('keep');
  state = temporaryFolder('state');
  mkdirSync(join(vault, '.pipeline'));
});

async function within<T>(work: (workspace: Workspace) => Promise<T>, now = NOW): Promise<T> {
  const workspace = await openWorkspace({ vault, cwd: vault, env: {}, stateDir: state, clock: { now: () => now } });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}

function output(name: string, bytes: number, age: number): string {
  const file = join(state, 'hooks', 'outputs', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'x'.repeat(bytes));
  utimesSync(file, (NOW - age) / 1000, (NOW - age) / 1000);
  return file;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const scores = (composite: number) => ({
  relevance: 0,
  actionability: 0,
  depth: 0,
  authority: 0,
  composite,
  evidence: {} as never,
});

test('prune removes what is old or too much, only when it is not a dry run', async () => {
  writeFileSync(
    join(vault, '.pipeline', 'config.yaml'),
    'config:\n  retention: { hookOutputBytes: 100 }\n  ledger: { keepRows: 30d }\n',
  );
  const old = output('old.txt', 10, 8 * DAY);
  const large = output('large.txt', 90, 2 * DAY);
  const fresh = output('fresh.txt', 50, DAY);
  await within(async (workspace) => {
    const history = new ScheduleHistory(workspace);
    history.add({ job: 'a', due: iso(NOW - 400 * DAY), status: 'ok', count: 1 });
    history.add({ job: 'a', due: iso(NOW - DAY), status: 'ok', count: 1 });
    const ledger = await workspace.resources.use('ledger');
    const row = { source: 's', title: 't', firstSeen: iso(NOW - 90 * DAY) };
    await ledger.put({ ...row, id: 'skipped', outcome: 'skipped', lastSeen: iso(NOW - 60 * DAY) });
    await ledger.put({ ...row, id: 'written', outcome: 'written', lastSeen: iso(NOW - 60 * DAY) });
    const counts = async (apply: boolean) =>
      Object.fromEntries(
        (await prune(workspace, apply)).filter(({ count }) => count > 0).map(({ kind, count }) => [kind, count]),
      );
    const expected = { 'hook-output': 2, 'run-record': 1, 'ledger-row': 1 };
    expect(await counts(false)).toEqual(expected);
    expect([old, large, fresh].map((file) => existsSync(file))).toEqual([true, true, true]);
    expect(await counts(true)).toEqual(expected);
    expect([old, large, fresh].map((file) => existsSync(file))).toEqual([false, false, true]);
    expect(history.read()).toHaveLength(1);
    expect(await ledger.get('written')).toBeDefined();
    expect(await counts(true)).toEqual({});
  });
});

test('the command says what it did, for people and scripts', async () => {
  const run = await runCli(['prune', '--dry-run', '--json', '--vault', vault], { state });
  expect(JSON.parse(run.stdout)).toMatchObject({ dry_run: true });
  expect((await runCli(['prune', '--vault', vault], { state })).stdout).toContain('Nothing is old enough');
});

test('report shows what came in by domain, best first, with what failed, and writes a digest without secrets', async () => {
  const now = Date.now();
  await within(async (workspace) => {
    const ledger = await workspace.resources.use('ledger');
    const row = { source: 'blog', firstSeen: iso(now - DAY), lastSeen: iso(now - DAY) };
    await ledger.put({
      ...row,
      id: '1',
      title: 'Second best',
      outcome: 'written',
      domain: 'security',
      note: '05-signals/security/b.md',
      scores: scores(0.6),
    });
    await ledger.put({
      ...row,
      id: '2',
      title: `Best ${secret}`,
      outcome: 'written',
      domain: 'security',
      note: '05-signals/security/a.md',
      scores: scores(0.9),
    });
    await ledger.put({
      ...row,
      id: '3',
      title: 'To look at',
      outcome: 'review',
      url: 'https://x.test/3',
      scores: scores(0.4),
    });
    await ledger.put({ ...row, id: '4', title: 'Broken', outcome: 'failed', reason: 'timed out' });
    await ledger.put({
      ...row,
      id: '5',
      title: 'Old news',
      outcome: 'written',
      domain: 'web',
      firstSeen: iso(now - 40 * DAY),
    });
    new ScheduleHistory(workspace).add({
      job: 'ingest',
      due: iso(now - DAY),
      status: 'failed',
      count: 1,
      reason: 'no network',
    });
  }, now);
  const json = JSON.parse((await runCli(['report', '--since', '7d', '--json', '--vault', vault], { state })).stdout);
  expect(json).toMatchObject({
    outcomes: { written: 2, review: 1, failed: 1 },
    runs: { failed: 1 },
    domains: [{ domain: 'security' }],
  });
  const { stdout, stderr } = await runCli(['report', '--since', '7d', '--write', '--vault', vault], { state });
  expect(stdout.indexOf('Best')).toBeLessThan(stdout.indexOf('Second best'));
  expect(stdout).toContain('[[05-signals/security/b|Second best]]');
  for (const part of ['## For review (1)', 'Broken: timed out', 'run ingest', '4 items: 2 filed'])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain('Old news');
  const note = /Written to (\S+\.md)/.exec(stderr)?.[1] ?? '';
  const written = readFileSync(join(vault, note), 'utf8');
  expect(written).toContain('type: digest');
  expect(written + stdout).not.toContain(secret);
});
