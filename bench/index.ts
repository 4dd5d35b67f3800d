/**
 * Measures index runs: wall time, peak memory, a no-op run, one changed note, database size, and how they grow.
 * `npx tsx bench/index.ts [NOTES…]` (default 4000 16894 67576); needs the founders' shared data and a build (`npm run build`).
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPath } from '../test/shared.js';

interface Measure {
  readonly seconds: number;
  readonly cpu: number;
  readonly rssMb: number;
}

const CLI = join(process.cwd(), 'dist', 'cli', 'main.js');

/** One run of the shipped command line, measured by a parent that only starts it and reads its resource usage. */
function run(vault: string, db: string, state: string): Measure {
  const probe = `const { spawnSync } = require('node:child_process');
    const t = performance.now();
    const r = spawnSync(process.execPath, ${JSON.stringify([CLI, 'index', '--quiet', '--vault', vault, '--db', db])}, { env: { ...process.env, SLUICE_STATE: ${JSON.stringify(state)} } });
    const seconds = (performance.now() - t) / 1000;
    if (r.status !== 0) { process.stderr.write(r.stderr); process.exit(1); }
    const u = require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    console.log(JSON.stringify({ seconds, cpu: (Number(u[13]) + Number(u[14])) / 100 }));`;
  const measured = spawnSync('/usr/bin/time', ['-f', 'rss %M', process.execPath, '-e', probe], { encoding: 'utf8' });
  if (measured.status !== 0) throw new Error(measured.stderr);
  const rss = Number(/rss (\d+)/.exec(measured.stderr)?.[1] ?? 0) / 1024;
  return { ...(JSON.parse(measured.stdout) as { seconds: number; cpu: number }), rssMb: rss };
}

function bytesOf(db: string): number {
  return ['', '-wal'].reduce((sum, suffix) => sum + (statSync(db + suffix, { throwIfNoEntry: false })?.size ?? 0), 0);
}

const maker = sharedPath('tools', 'make-bench-vault.mjs');
if (!maker) throw new Error('bench/index.ts needs ../shared/tools/make-bench-vault.mjs.');
const sizes = process.argv.slice(2).map(Number);
console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
console.log('notes    full s  cpu s  rss MB  no-op s  one note s  db MB');
for (const notes of sizes.length > 0 ? sizes : [4000, 16_894, 67_576]) {
  const dir = mkdtempSync(join(tmpdir(), 'bench-index-'));
  const [vault, db, state] = [join(dir, 'vault'), join(dir, 'index.db'), join(dir, 'state')];
  try {
    spawnSync(process.execPath, [maker, vault, String(notes)], { stdio: 'ignore' });
    const full = run(vault, db, state);
    const idle = run(vault, db, state);
    const note = readdirSync(vault, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.md')) ?? '';
    appendFileSync(join(vault, note), '\nOne more line.\n');
    const one = run(vault, db, state);
    const row = [full.seconds, full.cpu, full.rssMb, idle.seconds, one.seconds, bytesOf(db) / 1e6];
    console.log(`${String(notes).padEnd(9)}${row.map((n) => n.toFixed(2).padStart(7)).join(' ')}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
