import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEngine, ScheduleHistory, scheduledJobs } from '../../workspace/schedule.js';
import { openWorkspace } from '../../workspace/workspace.js';
import { runCli, temporaryFolder } from '../support/cli.js';

function vaultWith(schedule: string): string {
  const vault = temporaryFolder('schedule');
  mkdirSync(join(vault, '.pipeline'));
  writeFileSync(join(vault, '.pipeline/schedule.yaml'), schedule);
  writeFileSync(join(vault, 'a.md'), '## One\n\nThis section is long enough to be a chunk of its own.\n');
  return vault;
}
const INDEX_ONLY = 'schedule:\n  ingest: null\n  index: { cron: "*/5 * * * *", timeZone: UTC }\n';

describe('schedule', () => {
  it("runs the vault's pipelines when due, records them, and resumes after a restart", async () => {
    const vault = vaultWith(INDEX_ONLY);
    let now = Date.UTC(2026, 0, 1, 0, 1);
    const stateDir = temporaryFolder('state');
    const open = () => openWorkspace({ vault, cwd: vault, env: {}, stateDir, clock: { now: () => now } });
    let workspace = await open();
    const start = () => openEngine(workspace, scheduledJobs(workspace), new ScheduleHistory(workspace), () => 0);
    let engine = start();
    now = Date.UTC(2026, 0, 1, 0, 5);
    await engine.tick();
    await engine.idle();
    expect(await (await workspace.resources.use('store')).counts()).toMatchObject({ notes: 1 });
    await workspace.close();
    now = Date.UTC(2026, 0, 1, 1, 0, 30); // the process was away for ten due times
    workspace = await open();
    engine = start();
    await engine.tick();
    await engine.idle();
    const history = new ScheduleHistory(workspace).read();
    // The shipped index job skips what it missed: one run does for all.
    expect(history.map((h) => [h.status, h.count])).toEqual([
      ['ok', 1],
      ['missed', 10],
      ['ok', 1],
    ]);
    await workspace.close();
  });

  it('lists, runs one job now and prints units', async () => {
    const vault = vaultWith(INDEX_ONLY);
    const state = temporaryFolder('state');
    const next = JSON.parse((await runCli(['schedule', 'next', '--vault', vault, '--json'], { state })).stdout) as {
      job: string;
      next: string;
    }[];
    expect(next).toMatchObject([{ job: 'index', pipeline: 'index', time_zone: 'UTC' }]);
    expect((await runCli(['schedule', 'run', 'index', '--vault', vault], { state })).stdout).toContain('index: ok');
    const unknown = await runCli(['schedule', 'run', 'indx', '--vault', vault], { state });
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('Did you mean "index"?');
    const unit = (await runCli(['schedule', 'serve', '--print-unit', 'systemd', '--vault', vault], { state })).stdout;
    expect(unit).toContain(`schedule --vault "${vault}"`);
  });

  it.each([
    ['cron', 'index: { cron: "61 * * * *", timeZone: UTC }', /index: "61 \* \* \* \*" is not a cron expression/],
    ['time zone', 'index: { cron: "* * * * *", timeZone: Mars/Olympus }', /no time zone "Mars\/Olympus"/],
    ['pipeline', 'index: { pipeline: indx }', /"indx" does not load/],
  ])('names a bad %s, exit 2', async (_what, line, message) => {
    const run = await runCli(['schedule', 'next', '--vault', vaultWith(`schedule:\n  ingest: null\n  ${line}\n`)]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(message);
  });

  it('keeps a history that survives a line cut by a crash', () => {
    const history = new ScheduleHistory({ dbFile: join(temporaryFolder('history'), 'index.db') });
    history.add({ job: 'a', due: '2026-01-01T00:00:00.000Z', status: 'ok', count: 1 });
    writeFileSync(history.file, `${readFileSync(history.file, 'utf8')}{"job":"a","du`);
    expect(history.read()).toHaveLength(1);
  });
});
