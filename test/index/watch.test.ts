import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../runner/observe.js';
import { Passes, type Timers, watchVault } from '../../workspace/watch.js';
import type { RunRequest } from '../../workspace/workspace.js';
import { fakeEmbedder, makeVault, noteText } from './helpers.js';

/** Time that moves only when told to. */
function steppedTimers(): Timers & { step(ms: number): Promise<void> } {
  let now = 0;
  const waiting = new Set<{ at: number; work: () => void }>();
  return {
    now: () => now,
    after(ms, work) {
      const entry = { at: now + ms, work };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    async step(ms) {
      const end = now + ms;
      for (;;) {
        const [due] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!due) break;
        waiting.delete(due);
        now = Math.max(now, due.at);
        due.work();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = end;
    },
  };
}

function setUp(options: { rescanMs?: number; fail?: () => boolean } = {}) {
  const runs: (readonly string[] | 'all')[] = [];
  const problems: string[] = [];
  const timers = steppedTimers();
  const controller = new AbortController();
  const run = async (_: string, { overrides = [] }: RunRequest = {}) => {
    if (options.fail?.()) throw new Error('index busy');
    const [only] = overrides;
    runs.push(only === undefined ? 'all' : (JSON.parse(only.replace('scan-vault.only=', '')) as string[]));
    return { report: {} as RunReport, items: [], followed: [] };
  };
  const passes = new Passes({ run } as unknown as ConstructorParameters<typeof Passes>[0], {
    timers,
    signal: controller.signal,
    quietMs: 1500,
    rescanMs: options.rescanMs ?? 10_000_000,
    onProblem: (message) => problems.push(message),
  });
  return { runs, problems, timers, passes, controller };
}

describe('passes', () => {
  test('34 saves in two and a half minutes, with pauses: one pass a quiet period', async () => {
    const { runs, timers, passes } = setUp();
    for (let save = 0; save < 34; save++) {
      passes.request('note.md');
      // Every seventh save is followed by a long pause.
      await timers.step(save % 7 === 6 ? 10_000 : 1000);
    }
    await timers.step(5000);
    expect(runs).toEqual(Array.from({ length: 5 }, () => ['note.md']));
  });

  test('a vault that never rests is indexed every 30 seconds', async () => {
    const { runs, timers, passes } = setUp();
    for (let i = 0; i < 95; i++) {
      passes.request(`n${i}.md`);
      await timers.step(1000);
    }
    expect(runs).toHaveLength(3);
  });

  test('many changes, and notes that vanish in number, are judged over the whole vault', async () => {
    const { runs, timers, passes } = setUp();
    for (let i = 0; i < 300; i++) passes.request(`n${i}.md`);
    await timers.step(2000);
    for (let i = 0; i < 10; i++) passes.request(`n${i}.md`, true);
    await timers.step(2000);
    for (let i = 0; i < 9; i++) passes.request(`n${i}.md`, true);
    await timers.step(2000);
    expect(runs.map((run) => (run === 'all' ? run : run.length))).toEqual(['all', 'all', 9]);
  });

  test('a pass that fails is reported, and everything is looked at next time', async () => {
    let failing = true;
    const { runs, problems, timers, passes } = setUp({ fail: () => failing });
    passes.request('a.md');
    await timers.step(2000);
    failing = false;
    passes.request('b.md');
    await timers.step(2000);
    expect(problems).toEqual(['index busy']);
    expect(runs).toEqual(['all']);
  });

  test('the whole vault is compared now and then: events lost in a suspend are made up for', async () => {
    const { runs, timers, passes, controller } = setUp({ rescanMs: 60_000 });
    await timers.step(125_000);
    expect(runs).toEqual(['all', 'all']);
    controller.abort();
    passes.request('late.md');
    await passes.stop();
    await timers.step(125_000);
    expect(runs).toHaveLength(2);
  });
});

test('watching a vault: edits, atomic saves and moves are indexed; a move keeps its vectors', async () => {
  const embedder = fakeEmbedder();
  const vault = makeVault(embedder);
  vault.put('a.md', noteText('a'));
  vault.put('dir/b.md', noteText('b'));
  const workspace = await vault.open();
  const controller = new AbortController();
  const reports: RunReport[] = [];
  let wake: () => void = () => undefined;
  const watching = watchVault(workspace, {
    signal: controller.signal,
    quietMs: 50,
    onPass: (report) => {
      reports.push(report);
      wake();
    },
  });
  const until = async (done: () => Promise<boolean>): Promise<void> => {
    while (!(await done())) await new Promise<void>((resolve) => (wake = resolve));
  };
  const store = await workspace.resources.use('store');
  const text = async (path: string): Promise<string> =>
    (await store.chunksOf(path)).map((chunk) => chunk.text).join('\n');
  try {
    await until(async () => (await store.counts()).notes === 2);
    appendFileSync(join(vault.vaultDir, 'a.md'), '\nAdded about quokkas.\n');
    await until(async () => (await text('a.md')).includes('quokkas'));
    writeFileSync(join(vault.vaultDir, 'a.tmp'), noteText('a', 'Saved by renaming, about wombats.'));
    renameSync(join(vault.vaultDir, 'a.tmp'), join(vault.vaultDir, 'a.md'));
    await until(async () => (await text('a.md')).includes('wombats'));
    embedder.texts.length = 0;
    renameSync(join(vault.vaultDir, 'dir'), join(vault.vaultDir, 'moved'));
    await until(
      async () => (await store.note('moved/b.md')) !== undefined && (await store.note('dir/b.md')) === undefined,
    );
    expect(embedder.texts).toEqual([]);
    expect(await store.counts()).toMatchObject({ notes: 2, chunks: 4, vectors: 4 });
    expect(reports.flatMap((report) => report.failed)).toEqual([]);
  } finally {
    controller.abort();
    await watching;
    await workspace.close();
    vault.remove();
  }
}, 60_000);
