/**
 * What the embedded model costs and gives: load time, chunks a second, nDCG@10 alone on the shared sets.
 *   npx tsx bench/embed.ts [table.bin]
 */
import { readFileSync, statSync } from 'node:fs';
import { packagePath } from '../lib/package-root.js';
import { openStaticEmbedder } from '../stages/embed/models/static.js';
import { sharedPath } from '../test/shared.js';
import { ndcgAt10 } from './embed-quality.js';

const file = process.argv[2] ?? packagePath('models', 'sluice-static', 'table.bin');
const started = performance.now();
const embedder = openStaticEmbedder('sluice-static', readFileSync(file), file);
console.log(
  `load ${(performance.now() - started).toFixed(0)} ms, ${(statSync(file).size / 1e6).toFixed(1)} MB, ${embedder.dimensions} dimensions`,
);

// About 100 tokens of technical prose a chunk, as in a vault.
const prose = readFileSync(packagePath('docs', 'CONTRIBUTING.md'), 'utf8');
const chunks = Array.from({ length: 10_000 }, (_, i) => prose.slice((i * 13) % (prose.length - 450)).slice(0, 430) + i);
const begun = performance.now();
for (let at = 0; at < chunks.length; at += 64) await embedder.embed(chunks.slice(at, at + 64), 'document');
console.log(
  `${Math.round(chunks.length / ((performance.now() - begun) / 1000)).toLocaleString('en')} chunks/s on one thread`,
);

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
