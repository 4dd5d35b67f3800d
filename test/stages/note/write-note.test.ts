import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signalNote } from '../../../lib/note/signal-note.js';
import { openVault } from '../../../lib/vault/vault.js';
import type { Signal, WrittenNote } from '../../../runner/items.js';
import { makeItem } from '../../../runner/items.js';
import { loadPipeline } from '../../../runner/load.js';
import { createResources } from '../../../runner/resources.js';
import { runPlan } from '../../../runner/run.js';
import type { AnyStage } from '../../../runner/stage.js';
import { writeNote } from '../../../stages/note/write-note.js';
import type { Ledger } from '../../../store/ledger.js';
import { MemoryLedger } from '../../../store/memory-ledger.js';

const text = `version: 1
name: writing
summary: Writes drafts.
steps:
  - write-note: {}
`;
const plan = loadPipeline(
  { file: 'writing.yaml', text },
  { registry: new Map([['write-note', writeNote as unknown as AnyStage]]) },
);

let root: string;
let ledger: Ledger;
let day = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-write-'));
  ledger = new MemoryLedger();
  day = Date.UTC(2026, 10, 2);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function signal(change: Partial<Signal['article']> = {}, decision: Signal['decision'] = 'write'): Signal {
  const article = {
    source: { name: 'Feed', kind: 'feed' },
    key: 'guid:abcdef123456',
    title: 'Queues: what waits?',
    url: 'https://e.example/queues',
    tags: ['c++', 'message queues'],
    markdown: 'Queues hold what waits for a worker. A bounded queue pushes back on its producer.',
    ...change,
  } as const;
  return { article, domain: 'systems', ...(decision === undefined ? {} : { decision }) };
}

/** Writes one signal in a run of its own and, unless the run "dies" first, tells the ledger as the run observer does. */
async function write(given: Signal, dies = false): Promise<WrittenNote | undefined> {
  const draft = signalNote(given, { body: 'summary', sentences: 3, points: 3, evidence: 3 });
  const clock = { now: () => day };
  const resources = createResources({ clock: () => clock, vault: () => openVault(root), ledger: () => ledger });
  const { items, report } = await runPlan<'WrittenNote'>(plan, {
    resources,
    clock,
    input: [makeItem('Draft', draft)],
    collect: true,
  });
  expect(report.failed).toEqual([]);
  const note = items[0]?.data;
  const id = given.article.key ?? '';
  const seen = new Date(day).toISOString();
  if (note && !dies)
    await ledger.put({
      id,
      source: 'Feed',
      title: given.article.title,
      outcome: 'written',
      note: note.path,
      firstSeen: seen,
      lastSeen: seen,
    });
  return note;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const notes = (): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort();

const PATH = '05-signals/systems/Queues - what waits.md';

describe('write-note', () => {
  it('writes into the domain folder, and into the inbox for review', async () => {
    expect(await write(signal())).toMatchObject({ path: PATH, change: 'created' });
    expect(read(PATH)).toMatch(
      /^---\ntitle: "Queues: what waits\?"\ntype: signal\ndomain: systems\ntags:\n {2}- cpp\n {2}- message-queues\ncreated: 2026-11-02\nupdated: 2026-11-02\nsource: https:\/\/e\.example\/queues\nstatus: active\n/,
    );
    const review = await write(signal({ key: 'guid:other1', title: 'Another' }, 'review'));
    expect(review?.path).toBe('00-inbox/Another.md');
  });

  it('changes no byte when nothing changed, on any later day', async () => {
    await write(signal());
    utimesSync(join(root, PATH), 1, 1);
    const before = read(PATH);
    day += 86_400_000 * 40;
    expect(await write(signal())).toMatchObject({ change: 'unchanged' });
    expect(read(PATH)).toBe(before);
    expect(openVault(root)).toBeDefined();
    expect((await openVault(root).stat(PATH))?.mtimeNs).toBe('1000000000');
  });

  it('updates in place, keeps the name, the day of creation and what the user wrote', async () => {
    await write(signal());
    writeFileSync(join(root, PATH), `${read(PATH).replace('status: active', 'status: archived')}\nMy own remark.\n`);
    day += 86_400_000;
    const title = 'Queues, revised';
    expect(await write(signal({ title }))).toMatchObject({ path: PATH, change: 'updated' });
    expect(read(PATH)).toContain('title: Queues, revised');
    expect(read(PATH)).toContain('created: 2026-11-02\nupdated: 2026-11-03');
    expect(read(PATH)).toContain('status: archived');
    expect(read(PATH)).toContain('My own remark.');
    expect(notes()).toEqual([PATH]);
  });

  it('heals a death between the note and the ledger', async () => {
    await write(signal(), true);
    expect(await write(signal())).toMatchObject({ path: PATH, change: 'unchanged' });
    expect(notes()).toEqual([PATH]);
  });

  it('finds a note the user renamed or moved, also to another folder tree', async () => {
    await write(signal());
    const moved = '03-resources/my/Queueing.md';
    mkdirSync(dirname(join(root, moved)), { recursive: true });
    renameSync(join(root, PATH), join(root, moved));
    writeFileSync(join(root, moved), `${read(moved)}\nMine.\n`);
    expect(await write(signal({ author: 'Ann' }))).toMatchObject({ path: moved, change: 'updated' });
    expect(read(moved)).toContain('author: Ann');
    expect(read(moved)).toContain('Mine.');
    expect(notes()).toEqual([moved]);
  });

  it('does not bring back what the user deleted', async () => {
    await write(signal());
    rmSync(join(root, PATH));
    expect(await write(signal({ author: 'Ann' }))).toBeUndefined();
    expect(notes()).toEqual([]);
  });

  it('gives a second note of the same title a name of its own, whatever the case', async () => {
    await write(signal());
    const second = await write(signal({ key: 'guid:000000fedcba', title: 'queues: WHAT waits' }));
    expect(second?.path).toBe('05-signals/systems/queues - WHAT waits (fedcba).md');
    expect(read(PATH)).toContain('id: guid:abcdef123456');
  });

  it('scores a clipping in place: adds its judgement and touches nothing else', async () => {
    const clip =
      '---\ntitle: Clip\nsource: https://e.example/clip # mine\ntags: [clippings]\n---\n\nBody  as clipped\n';
    mkdirSync(join(root, '00-inbox'));
    writeFileSync(join(root, '00-inbox/Clip.md'), clip);
    expect(await write(signal({ notePath: '00-inbox/Clip.md' }))).toMatchObject({
      path: '00-inbox/Clip.md',
      change: 'updated',
    });
    const after = read('00-inbox/Clip.md');
    expect(after).toBe(clip.replace('\n---\n\n', '\ndomain: systems\nid: guid:abcdef123456\n---\n\n'));
  });

  it('leaves a note alone that is no UTF-8', async () => {
    await write(signal());
    const bytes = Buffer.from([0xff, 0x41, 0xe9]);
    writeFileSync(join(root, PATH), bytes);
    expect(await write(signal({ author: 'Ann' }))).toMatchObject({ change: 'unchanged' });
    expect(readFileSync(join(root, PATH))).toEqual(bytes);
  });
});
