import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Article, makeItem } from '../../runner/items.js';
import type { LedgerRow } from '../../store/ledger.js';
import { recordItem } from '../../store/ledger-row.js';
import { trace } from '../../workspace/trace.js';
import { accept, reject, undo } from '../../workspace/triage/actions.js';
import { openTriage, type Triage } from '../../workspace/triage/open.js';
import { replay } from '../../workspace/triage/replay.js';
import { openWorkspace, type Workspace } from '../../workspace/workspace.js';
import { feedXml, fixtureItems } from '../lib/scoring/feed.js';

let template: string;
let root: string;
let vault: string;
let workspace: Workspace;
let triage: Triage;
let now = Date.parse('2026-05-02T08:00:00Z');

const open = (folder: string) =>
  openWorkspace({
    vault: join(folder, 'vault'),
    db: join(folder, 'index.db'),
    cwd: folder,
    env: {},
    offline: true,
    stateDir: join(folder, 'state'),
    clock: { now: () => now++ },
  });

function writeSources(folder: string): void {
  const source = { name: 'Fixtures', kind: 'feed', url: join(folder, 'feed.xml') };
  writeFileSync(join(folder, 'vault', '.pipeline', 'sources.yaml'), JSON.stringify({ sources: [source] }));
}

// One real intake; every test works on its own copy of what it left.
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'sluice-triage-'));
  mkdirSync(join(template, 'vault', '.pipeline'), { recursive: true });
  const items = [
    ...fixtureItems('belong').slice(0, 3),
    ...fixtureItems('review').slice(1, 6),
    ...fixtureItems('noise').slice(2, 6),
  ];
  writeFileSync(join(template, 'feed.xml'), feedXml(items));
  writeSources(template);
  const intake = await open(template);
  await intake.run('ingest', { chain: false });
  await intake.close();
}, 180_000);
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sluice-triage-'));
  cpSync(template, root, { recursive: true });
  writeSources(root);
  vault = join(root, 'vault');
  workspace = await open(root);
  triage = await openTriage(workspace);
});
afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true, force: true });
});

async function rows(outcome?: LedgerRow['outcome']): Promise<LedgerRow[]> {
  const found: LedgerRow[] = [];
  for await (const row of triage.tools.ledger.list(outcome ? { outcome: [outcome] } : {})) found.push(row);
  return found.sort((a, b) => (a.title < b.title ? -1 : 1));
}
async function first(outcome: LedgerRow['outcome']): Promise<LedgerRow & { note: string }> {
  const row = (await rows(outcome)).find((r) => r.note !== undefined);
  if (row?.note === undefined) throw new Error(`no ${outcome} row with a note`);
  return { ...row, note: row.note };
}
const copyOf = (row: LedgerRow) => JSON.parse(row.article ?? '{}') as Article;
const read = (path: string) => readFileSync(join(vault, path), 'utf8');
/** Every file of the vault with its text. */
function snapshot(): Record<string, string> {
  const files = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  return Object.fromEntries(
    files.map((f) => [join(f.parentPath, f.name), readFileSync(join(f.parentPath, f.name), 'utf8')]),
  );
}

describe('triage in a vault', () => {
  it('starts from an intake that put every item somewhere', async () => {
    const all = await rows();
    expect(all).toHaveLength(12);
    expect(all.filter((r) => r.outcome === 'written').length).toBeGreaterThanOrEqual(2);
    expect(all.filter((r) => r.outcome === 'review').length).toBeGreaterThanOrEqual(3);
    expect(all.filter((r) => r.outcome === 'skipped').length).toBeGreaterThanOrEqual(3);
    for (const row of all)
      expect(row.note !== undefined && existsSync(join(vault, row.note))).toBe(row.outcome !== 'skipped');
  });

  it('accepts into a domain, changing two keys and no other byte', async () => {
    const row = await first('review');
    const before = read(row.note);
    const { rows: done, problems } = await accept(triage.tools, [row], 'research');
    expect(problems).toEqual([]);
    const [after] = done;
    expect(after).toMatchObject({ outcome: 'written', domain: 'research', decidedBy: 'user' });
    expect(after?.note).toMatch(/^05-signals\/research\//);
    expect(existsSync(join(vault, row.note))).toBe(false);
    const expected = before.replace(/^domain: .*$/m, 'domain: research').replace(/^status: draft$/m, 'status: active');
    expect(read(after?.note ?? '')).toBe(expected);
    expect(await triage.tools.ledger.get(row.id)).toEqual(after);
  });

  it('rejects, and the item does not come back with the next run', async () => {
    const row = await first('review');
    await reject(triage.tools, [row]);
    expect(existsSync(join(vault, row.note))).toBe(false);
    const changed = readFileSync(join(root, 'feed.xml'), 'utf8').replace(
      'Pencil 1.4 is now',
      'Pencil 1.4 is really now',
    );
    writeFileSync(join(root, 'feed.xml'), changed);
    await workspace.run('ingest', { chain: false });
    expect(existsSync(join(vault, row.note))).toBe(false);
    expect(await triage.tools.ledger.get(row.id)).toMatchObject({ outcome: 'skipped', decidedBy: 'user' });
  });

  it('takes actions back one by one until vault and ledger are as they were', async () => {
    const files = snapshot();
    const ledger = await rows();
    const [a, b, c] = await rows('review');
    const [skipped] = await rows('skipped');
    if (!a || !b || !c || !skipped) throw new Error('four rows were expected');
    await accept(triage.tools, [a, b], 'design');
    await reject(triage.tools, [c]);
    await accept(triage.tools, [skipped]);
    expect(snapshot()).not.toEqual(files);
    for (let n = 0; n < 3; n++) await undo(triage.tools);
    expect(snapshot()).toEqual(files);
    expect(await rows()).toEqual(ledger);
    for await (const label of triage.tools.ledger.labels()) expect.unreachable(`label ${label.kind} is left`);
    await expect(undo(triage.tools)).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });

  it('does not undo over a later change', async () => {
    const [done] = (await accept(triage.tools, [await first('review')])).rows;
    const path = join(vault, done?.note ?? '');
    writeFileSync(path, `${readFileSync(path, 'utf8')}\nMy own line.\n`);
    await expect(undo(triage.tools)).rejects.toMatchObject({ code: 'undo-conflict' });
    expect(readFileSync(path, 'utf8')).toContain('My own line.');
  });

  it('promotes a skipped item from what the ledger keeps', async () => {
    const [row] = await rows('skipped');
    if (!row) throw new Error('a skipped row was expected');
    const [done] = (await accept(triage.tools, [row], 'web')).rows;
    expect(done?.note).toMatch(/^05-signals\/web\//);
    expect(read(done?.note ?? '')).toContain(`id: ${row.id}`.slice(0, 8));
  });

  it('leaves a malformed frontmatter as it is and says what it cannot do', async () => {
    const row = await first('review');
    const broken = '---\ntitle: "open\n---\n\nText\n';
    writeFileSync(join(vault, row.note), broken);
    const [done] = (await accept(triage.tools, [row], 'web')).rows;
    expect(read(done?.note ?? '')).toBe(broken);
    const { article: _, ...forgotten } = (await rows('skipped'))[0] ?? row;
    const { problems } = await accept(triage.tools, [forgotten]);
    expect(problems).toEqual([{ id: forgotten.id, reason: expect.stringContaining('no longer kept') }]);
  });
});

describe('feedback', () => {
  it('labels moves, deletions and edits once, and follows the notes', async () => {
    const [a, b] = (await rows('review')).filter((r) => r.note);
    const c = await first('written');
    if (!a?.note || !b?.note) throw new Error('notes were expected');
    mkdirSync(join(vault, '05-signals', 'career'), { recursive: true });
    renameSync(join(vault, a.note), join(vault, '05-signals/career/renamed.md'));
    rmSync(join(vault, b.note));
    writeFileSync(join(vault, c.note), `${read(c.note)}\nA thought.\n`);
    expect(await triage.learn()).toEqual({ moved: 1, deleted: 1, edited: 1 });
    expect(await triage.learn()).toEqual({ moved: 0, deleted: 0, edited: 0 });
    const labels = new Map<string, string>();
    for await (const { id, kind, domain } of triage.tools.ledger.labels()) labels.set(id, `${kind} ${domain ?? '-'}`);
    expect(labels.get(a.id)).toBe('moved career');
    expect(labels.get(b.id)).toBe('deleted -');
    expect(labels.get(c.id)).toMatch(/^edited/);
    expect(await triage.tools.ledger.get(a.id)).toMatchObject({
      note: '05-signals/career/renamed.md',
      outcome: 'written',
      domain: 'career',
    });
    expect(await triage.tools.ledger.get(b.id)).toMatchObject({ outcome: 'skipped', decidedBy: 'user' });
  });

  it('does not believe that everything was deleted at once', async () => {
    for (const row of await rows()) if (row.note) rmSync(join(vault, row.note));
    const { deleted, doubt } = await triage.learn();
    expect(deleted).toBe(0);
    expect(doubt).toMatch(/missing; they are not taken as deleted/);
    expect((await rows('skipped')).every((r) => r.decidedBy === undefined)).toBe(true);
  });
});

describe('replay', () => {
  const weights = { relevance: 0.35, actionability: 0.25, depth: 0.25, authority: 0.15 };

  it('changes nothing under the rules in force', async () => {
    const { moves, scored } = await replay(triage.tools, triage.scorer, triage.routing);
    expect(moves).toEqual([]);
    expect(scored).toBe(12);
  });

  it('says what other thresholds would move, and moves it when told to', async () => {
    const strict = { weights, thresholds: { write: 0.9, review: 0.3 } };
    const files = snapshot();
    const dry = await replay(triage.tools, triage.scorer, strict);
    expect(dry.moves.length).toBeGreaterThanOrEqual(2);
    expect(dry.moves.every((m) => m.from === 'written' && m.to === 'review')).toBe(true);
    expect(snapshot()).toEqual(files);
    await replay(triage.tools, triage.scorer, { ...strict, apply: true });
    expect((await rows('written')).length).toBe(0);
    for (const row of await rows('review')) expect(row.note).toMatch(/^00-inbox\//);
    await replay(triage.tools, triage.scorer, { ...triage.routing, apply: true });
    expect(snapshot()).toEqual(files);
  });

  it('files what was skipped, and leaves alone what the user decided', async () => {
    const [skipped, rejected] = await rows('skipped');
    if (!skipped || !rejected) throw new Error('two rows were expected');
    await reject(triage.tools, [rejected]);
    const report = await replay(triage.tools, triage.scorer, {
      weights,
      thresholds: { write: 0, review: 0 },
      apply: true,
    });
    expect(report.decided).toBe(1);
    const now = await triage.tools.ledger.get(skipped.id);
    expect(now?.outcome).toBe('written');
    expect(existsSync(join(vault, now?.note ?? 'none'))).toBe(true);
    expect(await triage.tools.ledger.get(rejected.id)).toMatchObject({ outcome: 'skipped' });
  });
});

describe('trace', () => {
  it('answers for a written and a skipped item, from note, URL and id', async () => {
    const written = await first('written');
    const store = await workspace.resources.use('store');
    const byNote = await trace(written.note, triage.tools.ledger, store);
    expect(byNote).toMatchObject({ id: written.id, outcome: 'written', note: written.note });
    expect(byNote.steps.map((s) => s.stage)).toEqual(
      expect.arrayContaining(['source', 'dedupe', 'score', 'route', 'write-note', 'ledger']),
    );
    expect(await trace(written.url ?? '', triage.tools.ledger, store)).toEqual(byNote);
    const [skipped] = await rows('skipped');
    const dropped = await trace(skipped?.id ?? '', triage.tools.ledger, store);
    expect(dropped).toMatchObject({ outcome: 'skipped', note: null, chunks: [] });
    expect(dropped.steps.at(-1)?.what).toMatch(/^skipped: 0\.\d\d skip/);
  });

  it('answers for a duplicate and a failed item', async () => {
    const { ledger, clock } = triage.tools;
    const known = await first('written');
    const article = (title: string, url: string) =>
      makeItem('Article', { ...copyOf(known), title, url, canonicalUrl: url });
    const options = { now: clock.now() };
    const copy = article(known.title, 'https://mirror.example/copy');
    const dropped = {
      item: copy,
      outcome: 'dropped',
      stage: 'dedupe',
      reason: 'duplicate',
      detail: 'same text',
    } as const;
    await recordItem(ledger, dropped, options);
    expect(await trace('https://mirror.example/copy', ledger, undefined)).toMatchObject({
      outcome: 'duplicate',
      steps: [{ stage: 'source' }, { stage: 'ledger', what: `duplicate: duplicate of ${known.id}: same text` }],
    });
    const other = article('Broken one', 'https://broken.example/');
    const failing = { ...other, data: { ...other.data, key: 'guid:broken' } };
    await recordItem(ledger, { item: failing, outcome: 'failed', stage: 'extract', error: new Error('boom') }, options);
    const failed = await trace('https://broken.example/', ledger, undefined);
    expect(failed).toMatchObject({ id: 'guid:broken', outcome: 'failed', note: null });
    expect(failed.steps.at(-1)?.what).toBe('failed: extract: boom');
  });

  it('says so for what is nowhere', async () => {
    await expect(trace('no such thing', triage.tools.ledger, undefined)).rejects.toMatchObject({
      code: 'unknown-item',
    });
  });
});
