import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendLog } from '../../lib/rotate-log.js';
import type { HistoryEntry } from '../../lib/schedule/engine.js';
import { runJob, ScheduleHistory, scheduledJobs } from '../../workspace/schedule.js';
import { type FailureNote, type Notifiers, ScheduleHealth } from '../../workspace/schedule-health.js';
import { setTrusted } from '../../workspace/trust.js';
import { openWorkspace, type Workspace } from '../../workspace/workspace.js';
import { temporaryFolder } from '../support/cli.js';

let workspace: Workspace;
let vault: string;
let told: [string, FailureNote][];
const notifiers: Notifiers = {
  webhook: async (url, note) => void told.push([url, note]),
  command: async (argv, note) => void told.push([argv.join(' '), note]),
};
const entry = (status: HistoryEntry['status'], n: number): HistoryEntry => ({
  job: 'index',
  due: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  status,
  count: 1,
  ...(status === 'failed' ? { reason: 'no space' } : {}),
});

async function open(onFailure: string): Promise<Workspace> {
  vault = temporaryFolder('health');
  mkdirSync(join(vault, '.pipeline'));
  writeFileSync(
    join(vault, '.pipeline', 'schedule.yaml'),
    `schedule:\n  ingest: null\n  index: { cron: "*/5 * * * *", timeZone: UTC, onFailure: ${onFailure} }\n`,
  );
  const stateDir = temporaryFolder('state');
  return openWorkspace({ vault, cwd: vault, env: {}, stateDir, clock: { now: () => Date.UTC(2026, 0, 1) } });
}
const logOf = (history: ScheduleHistory): string => readFileSync(join(dirname(history.file), 'schedule.log'), 'utf8');

beforeEach(() => {
  told = [];
});
afterEach(() => workspace.close());

describe('a job that keeps failing', () => {
  test('is told of after so many failures in a row, again after as many more, and not after a success', async () => {
    workspace = await open('{ after: 2, webhook: "https://hooks.test/x", command: [notify, me] }');
    const history = new ScheduleHistory(workspace);
    const health = new ScheduleHealth(workspace, scheduledJobs(workspace), history, notifiers);
    const seen: number[] = [];
    for (const [n, status] of (['failed', 'failed', 'failed', 'failed', 'ok', 'failed', 'failed'] as const).entries()) {
      await health.note(entry(status, n));
      seen.push(told.length);
    }
    expect(seen).toEqual([0, 2, 2, 4, 4, 4, 6]);
    expect(told[0]).toEqual(['https://hooks.test/x', { job: 'index', failures: 2, reason: 'no space', vault }]);
    expect(told[1]?.[0]).toBe('notify me');
    expect(JSON.parse(readFileSync(health.file, 'utf8'))).toMatchObject({
      ok: false,
      jobs: [{ job: 'index', failures: 2, last: { status: 'failed' }, next: '2026-01-01T00:05:00.000Z' }],
    });
    expect(logOf(history).split('\n')).toHaveLength(8);
  });

  test('is counted on after a restart', async () => {
    workspace = await open('{ after: 3, webhook: "https://hooks.test/x" }');
    const history = new ScheduleHistory(workspace);
    history.add(entry('failed', 0));
    history.add(entry('failed', 1));
    await new ScheduleHealth(workspace, scheduledJobs(workspace), history, notifiers).note(entry('failed', 2));
    expect(told).toHaveLength(1);
  });

  test('runs no program and asks no address of a vault that is not trusted', async () => {
    const mark = join(temporaryFolder('mark'), 'ran');
    const program = JSON.stringify([
      process.execPath,
      '-e',
      `require('fs').writeFileSync(${JSON.stringify(mark)}, '1')`,
    ]);
    workspace = await open(`{ after: 1, webhook: "http://127.0.0.1:9/x", command: ${program} }`);
    const history = new ScheduleHistory(workspace);
    await new ScheduleHealth(workspace, scheduledJobs(workspace), history).note(entry('failed', 0));
    expect(logOf(history)).toMatch(/webhook failed: .*not trusted/);
    expect(logOf(history)).toMatch(/command failed: .*not trusted/);
    setTrusted(workspace.vaultDir, workspace.stateDir, true);
    const again = await openWorkspace({ vault, cwd: vault, env: {}, stateDir: workspace.stateDir });
    await new ScheduleHealth(again, scheduledJobs(again), history).note(entry('failed', 1));
    expect(readFileSync(mark, 'utf8')).toBe('1');
    await again.close();
  });
});

test('a run whose time is up is stopped and says so', async () => {
  workspace = await open('{}');
  writeFileSync(join(vault, 'a.md'), '## One\n\nThis section is long enough to be a chunk of its own.\n');
  const [job] = scheduledJobs(workspace);
  if (!job) throw new Error('no job');
  await expect(runJob(workspace, { ...job, timeoutMs: 0 }, new AbortController().signal)).rejects.toMatchObject({
    code: 'schedule-stopped',
  });
});

test('a log is rotated before it grows too large, and only so many are kept', () => {
  const file = join(temporaryFolder('log'), 'x.log');
  for (let n = 0; n < 10; n++) appendLog(file, `line ${n}`, { bytes: 16, files: 2 });
  const read = (name: string): string => readFileSync(name, 'utf8');
  expect([read(file), read(`${file}.1`), read(`${file}.2`)]).toEqual([
    'line 8\nline 9\n',
    'line 6\nline 7\n',
    'line 4\nline 5\n',
  ]);
  expect(() => read(`${file}.3`)).toThrow();
});
