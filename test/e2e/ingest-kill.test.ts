import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { packagePath } from '../../lib/package-root.js';
import { TEMP_PREFIX } from '../../lib/vault/atomic-write.js';

const KILLS = 30;
const ITEMS = 60;

const folder = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const body = (n: number): string =>
  `<p>How to upgrade service ${n}: this guide shows step by step what we measured, with commands and a rollback plan.</p><h2>Steps</h2><ol><li>Run <code>npm install service@${n}</code>.</li><li>Fix the migration, then deploy version 2.${n}.</li></ol><p>Security advisory CVE-2026-${1000 + n} asks for this upgrade of the PostgreSQL cluster.</p>`;

function prepare(vault: string): void {
  mkdirSync(join(vault, '.pipeline', 'pipelines'), { recursive: true });
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    id: `item-${n}`,
    url: `https://feed.example/${n}`,
    title: `How to upgrade service ${n} on PostgreSQL without downtime`,
    date_published: '2026-11-01T00:00:00Z',
    content_html: body(n),
  }));
  const feed = { version: 'https://jsonfeed.org/version/1.1', title: 'Feed', items };
  writeFileSync(join(vault, 'feed.json'), JSON.stringify(feed));
  writeFileSync(join(vault, '.pipeline', 'sources.yaml'), 'sources:\n  - { name: Feed, kind: feed, url: feed.json }\n');
  const shipped = readFileSync(packagePath('pipelines', 'ingest.yaml'), 'utf8');
  const ours = shipped.replace(/^name:.*$/m, 'name: intake').replace(/^then:.*$/m, '');
  writeFileSync(join(vault, '.pipeline', 'pipelines', 'intake.yaml'), ours);
}

function start(vault: string, state: string): ChildProcess {
  const args = [packagePath('dist', 'cli', 'main.js'), 'run', 'intake', '--vault', vault, '--offline', '--json'];
  return spawn(process.execPath, args, {
    env: { ...process.env, SLUICE_STATE: state },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out };
}

it(`kill -9 at ${KILLS} moments of an intake: no half note at any of them, and in the end one whole note an item`, async () => {
  const state = join(folder, 'state');
  const whole = join(folder, 'whole');
  prepare(whole);
  expect(await ended(start(whole, state))).toMatchObject({ code: 0 });
  const expected = notesOf(whole);
  expect(Object.keys(expected)).toHaveLength(ITEMS);

  // One vault, killed again and again: each run takes up what the last one left.
  const vault = join(folder, 'vault');
  prepare(vault);
  let killed = 0;
  let half = 0;
  for (let round = 0; round < KILLS; round++) {
    const child = start(vault, state);
    const end = ended(child);
    // By progress, not by the clock: on a busy machine no two runs take the same time. Every third run dies before its
    // first note is finished, the others after one or two.
    const before = namesIn(vault);
    const isNew = (name: string): boolean => isTemporary(name) && !before.includes(name);
    const enough = round % 3 === 0 ? (names: string[]) => names.some(isNew) : more(before.length, round % 3);
    const timer = setInterval(() => {
      if (enough(namesIn(vault))) child.kill('SIGKILL');
    }, 1);
    const { code } = await end;
    clearInterval(timer);
    if (code === null) killed++;
    half += namesIn(vault).some(isNew) ? 1 : 0;
    for (const [path, text] of Object.entries(notesOf(vault))) expect(text, path).toBe(expected[path]);
  }
  // A test whose kills came too late would prove nothing.
  expect(killed).toBeGreaterThan(KILLS / 2);
  expect(half, 'kills that caught a file half-written').toBeGreaterThan(0);
  expect(await ended(start(vault, state))).toMatchObject({ code: 0 });
  expect(notesOf(vault)).toEqual(expected);
  // Nor does what the killed runs were writing lie about for ever.
  expect(namesIn(vault).filter(isTemporary)).toEqual([]);
  const again = await ended(start(vault, state));
  expect(JSON.parse(again.out.split('\n')[0] ?? '')).toMatchObject({ in: ITEMS, written: 0, dropped: { seen: ITEMS } });
}, 600_000);

const isNote = (name: string): boolean => name.endsWith('.md');
const isTemporary = (name: string): boolean => name.includes(TEMP_PREFIX);
const more = (before: number, wanted: number) => (names: string[]) => names.length >= before + wanted;

/** Notes, and files that are about to become some. */
function namesIn(vault: string): string[] {
  return readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter((name) => isNote(name) || isTemporary(name));
}

/** Every Markdown file of the vault by path; half-written ones would differ, temporary ones would show. */
function notesOf(vault: string): Record<string, string> {
  const names = readdirSync(vault, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter(isNote)
      .sort()
      .map((name) => [name, readFileSync(join(vault, name), 'utf8')]),
  );
}
