/**
 * What the embedded model costs and gives: load time, chunks a second, nDCG@10 alone on the shared sets.
 *   npx tsx bench/embed.ts [table.bin]
 */
import { readFileSync, statSync } from 'node:fs';
import { bytesOfFile } from '../lib/embedding/byte-source.js';
import { packagePath } from '../lib/package-root.js';
import { openStaticEmbedder } from '../stages/embed/models/static.js';
import { sharedPath } from '../test/shared.js';
import { ndcgAt10 } from './embed-quality.js';

const file = process.argv[2] ?? packagePath('models', 'sluice-static', 'table.bin');
const started = performance.now();
const cpu = process.cpuUsage();
const embedder = openStaticEmbedder('sluice-static', bytesOfFile(file), file);
const loaded = performance.now() - started;
await embedder.embed(['a first text'], 'query');
const { user, system } = process.cpuUsage(cpu);
console.log(
  `load ${loaded.toFixed(0)} ms, first vector after ${(performance.now() - started).toFixed(0)} ms (${((user + system) / 1000).toFixed(0)} ms of CPU), ${(statSync(file).size / 1e6).toFixed(1)} MB, ${embedder.dimensions} dimensions`,
);

// About 100 tokens of technical prose a chunk, as in a vault.
const prose = readFileSync(packagePath('docs', 'CONTRIBUTING.md'), 'utf8');
const chunks = Array.from({ length: 10_000 }, (_, i) => prose.slice((i * 13) % (prose.length - 450)).slice(0, 430) + i);
const begun = performance.now();
const before = process.cpuUsage();
for (let at = 0; at < chunks.length; at += 64) await embedder.embed(chunks.slice(at, at + 64), 'document');
const rate = (ms: number): string => Math.round((chunks.length / ms) * 1000).toLocaleString('en');
const elapsed = performance.now() - begun;
// On a busy machine only the second figure says anything.
console.log(`${rate(elapsed)} chunks/s on one thread, ${rate(process.cpuUsage(before).user / 1000)} a second of CPU`);

const sets = ['cacm', 'cisi', 'npl', 'cosqa-dev'];
const figures: number[] = [];
for (const set of sets) {
  const folder = sharedPath('eval', 'ir', set);
  if (!folder) {
    console.log('The shared evaluation sets are not on this machine; quality is not measured.');
    break;
  }
  figures.push(await ndcgAt10(folder, embedder));
  console.log(`${set}: nDCG@10 ${figures.at(-1)?.toFixed(4)}`);
}
if (figures.length === sets.length)
  console.log(`mean ${(figures.reduce((a, b) => a + b, 0) / sets.length).toFixed(4)}`);
