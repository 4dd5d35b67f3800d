// Enforces the layers: who may import whom (docs/architecture.md). Run by `npm run lint`; a test runs it too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');
/** Folder -> folders it may import besides itself. */
const allowed = {
  runner: [],
  lib: ['runner', 'lib'],
  config: ['runner', 'lib'],
  store: ['runner', 'lib'],
  stages: ['runner', 'lib', 'store', 'config'],
  workspace: ['runner', 'lib', 'store', 'stages', 'config'],
  cli: ['runner', 'lib', 'store', 'stages', 'config', 'workspace'],
};
const REGISTRY = join('stages', 'index.ts');
const problems = [];

function definesStage(target) {
  const source = join(root, ...target).replace(/\.js$/, '.ts');
  return existsSync(source) && /\bdefineStage\(/.test(readFileSync(source, 'utf8'));
}

for (const [layer, others] of Object.entries(allowed)) {
  let entries;
  try {
    entries = readdirSync(join(root, layer), { recursive: true, withFileTypes: true });
  } catch {
    continue;
  }
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = relative(root, join(entry.parentPath ?? entry.path, entry.name));
    const text = readFileSync(join(root, file), 'utf8');
    if (text.split('\n').length > 401) problems.push(`${file}: more than 400 lines; split it by responsibility.`);
    for (const [, from] of text.matchAll(/(?:from|import|module)\s*\(?\s*'(\.[^']+)'/g)) {
      const target = normalize(join(dirname(file), from)).split(sep);
      if (target[0] === '..') continue;
      if (target.length === 1) {
        if (layer !== 'cli') problems.push(`${file}: imports the package entry ${from}.`);
        continue;
      }
      if (target[0] !== layer && !others.includes(target[0]))
        problems.push(`${file}: ${layer}/ must not import ${target[0]}/ (${from}).`);
      // Stages know only themselves and what several of them share, which is no stage: they meet in a pipeline's YAML.
      if (layer === 'stages' && target[0] === 'stages' && file !== REGISTRY && definesStage(target))
        problems.push(`${file}: a stage must not import a stage (${from}); give what they share a file of its own.`);
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
