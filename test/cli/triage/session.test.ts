import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteText } from '../../../lib/note/text.js';
import { packagePath } from '../../../lib/package-root.js';
import { makeItem, type Signal } from '../../../runner/items.js';
import { rowFor } from '../../../store/ledger-row.js';
import { openLedger } from '../../../store/sqlite/ledger.js';

/** Runs a command in a pseudo-terminal, types each key when the screen has been still for a moment, prints the output. */
const DRIVER = `
import os, pty, select, sys, time
keys = sys.argv[1].split(' ')
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
out = b''
still = 0
while True:
    ready, _, _ = select.select([fd], [], [], 0.5)
    if ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
        still = 0
    elif b'Triage:' in out:
        still += 1
        if still >= 1 and keys:
            os.write(fd, keys.pop(0).encode())
            still = 0
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(status))
`;
const python = spawnSync('python3', ['-c', 'import pty'], { encoding: 'utf8' });
const reason = python.status === 0 ? '' : ' (skipped: python3 with pty is not here)';

let root: string;
let vault: string;
const ids = ['a', 'b', 'c'];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'sluice-session-'));
  vault = join(root, 'vault');
  mkdirSync(join(vault, '.pipeline', 'pipelines'), { recursive: true });
  mkdirSync(join(vault, '00-inbox'));
  // The shipped pipeline without the index run that follows it: this test is about triage.
  const ingest =
    'version: 1\nname: ingest\nsummary: test\nsteps:\n  - feeds: {}\n  - dedupe: {}\n  - score: {}\n  - route: {}\n  - render-note: {}\n  - write-note: {}\n';
  writeFileSync(join(vault, '.pipeline', 'pipelines', 'ingest.yaml'), ingest);
  const ledger = openLedger({ file: join(root, 'index.ledger.db') });
  for (const [at, id] of ids.entries()) {
    const composite = 0.5 - at / 100;
    const evidence = { relevance: [], actionability: [], depth: [], authority: [] };
    const signal: Signal = {
      article: { source: { name: 'blog', kind: 'feed' }, key: id, title: `Item ${id}`, tags: [], markdown: 'Text.' },
      scores: {
        relevance: composite,
        actionability: composite,
        depth: composite,
        authority: composite,
        composite,
        evidence,
      },
      domain: 'web',
      decision: 'review',
    };
    const path = `00-inbox/Item ${id}.md`;
    const text = noteText({ title: `Item ${id}`, domain: 'web', status: 'draft', id }, 'Text.');
    writeFileSync(join(vault, path), text);
    const item = makeItem('WrittenNote', { path, change: 'created', signal }, id);
    const row = rowFor({ item, outcome: 'out', stage: 'write-note' }, { now: 1.7e12 });
    if (row) await ledger.apply({ rows: [row], written: [{ path, text }] });
  }
  await ledger.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe(`triage in a terminal${reason}`, () => {
  it.skipIf(reason !== '')(
    'accepts, rejects and undoes; vault and ledger agree afterwards',
    async () => {
      // a: accept the first; d then a letter: the second into "security"; r: reject the third; u: take that back; q.
      const run = spawnSync(
        'python3',
        [
          '-c',
          DRIVER,
          'a d b r u q',
          process.execPath,
          '--import',
          'tsx',
          packagePath('cli', 'main.ts'),
          'triage',
          '--vault',
          vault,
          '--db',
          join(root, 'index.db'),
        ],
        {
          encoding: 'utf8',
          cwd: packagePath(),
          env: { ...process.env, NO_COLOR: '1', SLUICE_STATE: join(root, 'state') },
          timeout: 120_000,
        },
      );
      expect(run.stdout).toContain('Accepted "Item a"');
      expect(run.stdout).toContain('Taken back: "Item c"');
      expect(run.stdout).toContain('Triage: 2 accepted, 0 rejected.');
      expect(run.status).toBe(0);
      const ledger = openLedger({ file: join(root, 'index.ledger.db'), readOnly: true });
      const rows = await Promise.all(ids.map((id) => ledger.get(id)));
      const labels = [];
      for await (const { id, kind, domain } of ledger.labels()) labels.push([id, kind, domain]);
      await ledger.close();
      expect(rows.map((row) => [row?.outcome, row?.domain, row?.note])).toEqual([
        ['written', 'web', '05-signals/web/Item a.md'],
        ['written', 'security', '05-signals/security/Item b.md'],
        ['review', 'web', '00-inbox/Item c.md'],
      ]);
      for (const row of rows) expect(existsSync(join(vault, row?.note ?? 'none'))).toBe(true);
      expect(readdirSync(join(vault, '00-inbox'))).toEqual(['Item c.md']);
      expect(labels).toEqual([
        ['a', 'accepted', 'web'],
        ['b', 'accepted', 'security'],
      ]);
    },
    150_000,
  );
});
