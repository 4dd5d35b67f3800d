/**
 * How good and how fast the scrubber is, on the founders' shared data. Prints rule names and counts, never a sample.
 * Run: `npx tsx bench/secrets.ts [--prose [--show]] [--hostile]`
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadConfig } from '../config/load.js';
import { isTokenRule, secretsSchema } from '../lib/secrets/rules.js';
import { createScrubber } from '../lib/secrets/scrubber.js';
import { sharedPath } from '../test/shared.js';
import { fillShape, seeded } from '../test/support/secret-shapes.js';

interface Sample {
  readonly rule: string;
  readonly kind: 'positive' | 'negative';
  readonly text: string;
  readonly secret?: string;
}

/** Rules of the sample set that name no issuer; everything else is a vendor rule, and we claim them all. */
const GENERIC = new Set([
  'generic-api-key',
  'curl-auth-header',
  'curl-auth-user',
  'jwt',
  'jwt-base64',
  'kubernetes-secret-yaml',
  'nuget-config-password',
  'hashicorp-tf-password',
  'private-key',
  'freemius-secret-key',
]);
/** Judged by file name alone; their text is empty. */
const BY_PATH = new Set(['pkcs12-file']);

const config = loadConfig('secrets', secretsSchema, { env: {} });
const scrubber = createScrubber(config);
const vendors = new Set(
  Object.entries(config.patterns)
    .filter(([, rule]) => rule.kind === 'vendor')
    .map(([id]) => id),
);

interface Tally {
  positives: number;
  byVendor: number;
  byAny: number;
  negatives: number;
  alarms: number;
  vendorAlarms: number;
  /** Negatives whose text the set itself labels a secret, as a key of a sibling rule. */
  siblings: number;
  names: Set<string>;
}

function samples(file: string): Sample[] {
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sample);
}

function measure(rows: readonly Sample[]): Map<string, Tally> {
  const labelled = new Set(rows.filter((row) => row.kind === 'positive').map((row) => row.text));
  const tallies = new Map<string, Tally>();
  for (const row of rows) {
    if (BY_PATH.has(row.rule)) continue;
    const tally = tallies.get(row.rule) ?? {
      positives: 0,
      byVendor: 0,
      byAny: 0,
      negatives: 0,
      alarms: 0,
      vendorAlarms: 0,
      siblings: 0,
      names: new Set(),
    };
    tallies.set(row.rule, tally);
    const { text, findings } = scrubber.scrub(row.text);
    if (row.kind === 'negative') {
      if (labelled.has(row.text)) {
        tally.siblings++;
        continue;
      }
      tally.negatives++;
      if (findings.length > 0) {
        tally.alarms++;
        if (findings.some((f) => vendors.has(f.pattern))) tally.vendorAlarms++;
        for (const f of findings) tally.names.add(`!${f.pattern}`);
      }
      continue;
    }
    tally.positives++;
    const gone = findings.length > 0 && (row.secret === undefined || !text.includes(row.secret));
    if (!gone) continue;
    tally.byAny++;
    if (findings.some((f) => vendors.has(f.pattern))) tally.byVendor++;
    for (const f of findings) tally.names.add(f.pattern);
  }
  return tallies;
}

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

function report(tallies: ReadonlyMap<string, Tally>): void {
  const sum = {
    vendorPos: 0,
    vendorHit: 0,
    pos: 0,
    any: 0,
    vendorNeg: 0,
    vendorAlarm: 0,
    neg: 0,
    alarm: 0,
    siblings: 0,
  };
  console.log('rule | positives | vendor | any | negatives | alarms | found as (! = false alarm)');
  for (const [rule, t] of [...tallies].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(
      `${rule} | ${t.positives} | ${percent(t.byVendor, t.positives)} | ${percent(t.byAny, t.positives)} | ${t.negatives} | ${t.alarms} | ${[...t.names].join(' ')}`,
    );
    sum.pos += t.positives;
    sum.any += t.byAny;
    sum.neg += t.negatives;
    sum.alarm += t.alarms;
    sum.siblings += t.siblings;
    if (GENERIC.has(rule)) continue;
    sum.vendorPos += t.positives;
    sum.vendorHit += t.byVendor;
    sum.vendorNeg += t.negatives;
    sum.vendorAlarm += t.vendorAlarms;
  }
  console.log(
    `vendor rules: recall ${percent(sum.vendorHit, sum.vendorPos)} of ${sum.vendorPos}, vendor patterns on negatives ${sum.vendorAlarm} of ${sum.vendorNeg} (${percent(sum.vendorAlarm, sum.vendorNeg)})`,
  );
  console.log(
    `all rules: recall ${percent(sum.any, sum.pos)} of ${sum.pos}, false alarms ${sum.alarm} of ${sum.neg} (${percent(sum.alarm, sum.neg)})`,
  );
  console.log(`left out: ${sum.siblings} negatives whose very text is a positive of another rule`);
}

/** Real prose by name: notes, pages as HTML, and texts of documentation. */
function* prose(): Generator<[string, string]> {
  const vault = sharedPath('eval', 'vaults', 'kepano');
  const pages = sharedPath('eval', 'readability');
  const pairs = sharedPath('corpus', 'pairs.jsonl.gz');
  for (const [root, ending] of [
    [vault, '.md'],
    [pages, '.html'],
  ] as const) {
    if (root === undefined) continue;
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith(ending)) yield [name, readFileSync(join(root, name), 'utf8')];
  }
  if (pairs === undefined) return;
  for (const [i, line] of gunzipSync(readFileSync(pairs)).toString('utf8').split('\n').entries())
    if (line !== '') yield [`pair ${i}`, (JSON.parse(line) as { text: string }).text];
}

/** Prints where findings are and what they are called; `--show` adds the line with digits and letters masked. */
function measureProse(show: boolean): void {
  let lines = 0;
  let bytes = 0;
  let findings = 0;
  let ms = 0;
  for (const [name, text] of prose()) {
    lines += text.split('\n').length;
    bytes += Buffer.byteLength(text);
    const start = performance.now();
    const result = scrubber.scrub(text);
    ms += performance.now() - start;
    findings += result.findings.length;
    const scrubbed = result.text.split('\n');
    for (const f of result.findings) {
      console.log(`${name}:${f.line}: ${f.pattern}`);
      if (show) console.log(`    ${excerpt(scrubbed[f.line - 1] ?? '')}`);
    }
  }
  console.log(`prose: ${findings} findings in ${lines} lines (${((findings * 10_000) / lines).toFixed(2)} in 10,000)`);
  console.log(`speed: ${(bytes / 1e6).toFixed(1)} MB in ${ms.toFixed(0)} ms, ${(bytes / 1000 / ms).toFixed(0)} MB/s`);
}

function excerpt(line: string): string {
  const at = Math.max(0, line.indexOf('[REDACTED:') - 70);
  return line.slice(at, at + 160);
}

/** CPU milliseconds of this process: other programs on the machine do not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A megabyte of keywords, of near misses, and of whole secrets in a row, for each pattern; prints the slowest. */
function measureHostile(): void {
  const size = 1_048_576;
  const times: { id: string; kind: string; ms: number }[] = [];
  for (const [id, rule] of Object.entries(config.patterns)) {
    const whole = fillShape(rule.shape ?? '', seeded(1)).text;
    const [keyword = ''] = isTokenRule(rule) ? rule.keywords : rule.names;
    const texts = {
      keyword,
      spaced: `${keyword} `,
      miss: `${whole.slice(0, -3)}!`,
      cut: whole.slice(0, -2),
      whole: `${whole} `,
    };
    for (const [kind, part] of Object.entries(texts)) {
      const text = part.repeat(Math.ceil(size / part.length)).slice(0, size);
      times.push({ id, kind, ms: cpuMs(() => scrubber.scrub(text)) });
    }
  }
  times.sort((a, b) => b.ms - a.ms);
  console.log(`hostile: ${times.length} texts of 1 MB, ${times.filter((t) => t.ms >= 200).length} took 200 ms or more`);
  for (const { id, kind, ms } of times.slice(0, 12)) console.log(`  ${id} (${kind}): ${ms.toFixed(0)} ms`);
}

const file = sharedPath('eval', 'secrets', 'samples.jsonl.gz');
if (file === undefined) console.log('The shared samples are not on this machine.');
else report(measure(samples(file)));
if (process.argv.includes('--hostile')) measureHostile();
if (process.argv.includes('--prose')) measureProse(process.argv.includes('--show'));
