/**
 * How long intake takes without network time: 1,000 feed items through parse, dedupe, extract, scrub, score, route, render
 * and write, then the same again with nothing new.
 *   npx tsx bench/ingest.ts [items]      (after `npm run build`)
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../lib/package-root.js';

const items = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const vault = join(folder, 'vault');
const own = join(vault, '.pipeline');
const WORDS =
  'queue index vector cache token latency kernel schema replica commit branch shard lease probe trace budget parser buffer'.split(
    ' ',
  );

try {
  mkdirSync(own, { recursive: true });
  const feeds = 20;
  for (let feed = 0; feed < feeds; feed++) writeFileSync(join(own, `feed-${feed}.xml`), feedXml(feed, items / feeds));
  const sources = Array.from(
    { length: feeds },
    (_, n) => `  - { name: Feed ${n}, kind: feed, url: .pipeline/feed-${n}.xml }`,
  );
  writeFileSync(join(own, 'sources.yaml'), `sources:\n${sources.join('\n')}\n`);
  for (const label of ['first run', 'second run']) console.log(label, run());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the built command as a user would, without the index that follows, and reads time and memory from the kernel. */
function run(): string {
  mkdirSync(join(own, 'pipelines'), { recursive: true });
  const shipped = readFileSync(packagePath('pipelines', 'ingest.yaml'), 'utf8');
  writeFileSync(
    join(own, 'pipelines', 'intake.yaml'),
    shipped.replace(/^name:.*$/m, 'name: intake').replace(/^then:.*$/m, ''),
  );
  const started = performance.now();
  const measure = `process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('RSS ' + maxRSS + ' CPU ' + (userCPUTime + systemCPUTime));
  });`;
  const preload = join(folder, 'measure.mjs');
  writeFileSync(preload, measure);
  const cli = packagePath('dist', 'cli', 'main.js');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', preload, cli, 'run', 'intake', '--vault', vault, '--offline', '--json'],
    { encoding: 'utf8', env: { ...process.env, SLUICE_STATE: join(folder, 'state') }, maxBuffer: 64 * 1024 * 1024 },
  );
  const seconds = (performance.now() - started) / 1000;
  const rss = Number(/RSS (\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1024;
  const cpu = Number(/CPU (\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1e6;
  if (status !== 0) return `failed (${status}): ${stderr}${stdout.slice(0, 600)}`;
  const report = JSON.parse(stdout.trim().split('\n')[0] ?? '{}') as { in: number; written: number; seconds: number };
  return `${report.in} items, ${report.written} written, ${seconds.toFixed(1)} s (run ${report.seconds} s, CPU ${cpu.toFixed(1)} s), RSS ${Math.round(rss)} MiB`;
}

/** Articles of 3 to 8 kB with headings, lists, code and links; deterministic. */
function feedXml(feed: number, count: number): string {
  let seed = feed + 1;
  const next = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % limit;
  };
  const sentence = (): string =>
    `The ${Array.from({ length: 12 }, () => WORDS[next(WORDS.length)]).join(' ')} ${next(1000)}.`;
  const paragraph = (): string => `<p>${Array.from({ length: 5 }, sentence).join(' ')}</p>`;
  const entry = (n: number): string => {
    const body = Array.from(
      { length: 3 + next(4) },
      () =>
        `<h2>${sentence()}</h2>${paragraph()}${paragraph()}<pre><code class="language-sh">npm install ${WORDS[next(WORDS.length)]}</code></pre><ul><li>${sentence()}</li><li><a href="/x">${sentence()}</a></li></ul>`,
    ).join('');
    const title = `How to upgrade the ${WORDS[next(WORDS.length)]} ${feed}-${n} without downtime`;
    return `<item><title>${title}</title><link>https://feed${feed}.example/${n}</link><guid>g-${feed}-${n}</guid><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><description><![CDATA[${body}]]></description></item>`;
  };
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed ${feed}</title><link>https://feed${feed}.example/</link>${Array.from({ length: count }, (_, n) => entry(n)).join('')}</channel></rss>`;
}
