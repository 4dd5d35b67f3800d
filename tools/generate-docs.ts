/** Writes docs/stages.md and pipelines/pipeline.schema.json from the stages themselves: `npm run docs`. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../lib/package-root.js';
import { pipelineJsonSchema, stagesMarkdown } from '../runner/docs.js';
import { registry } from '../stages/index.js';

export function generated(): ReadonlyMap<string, string> {
  return new Map([
    [packagePath('docs', 'stages.md'), stagesMarkdown(registry)],
    [
      packagePath('pipelines', 'pipeline.schema.json'),
      `${JSON.stringify(pipelineJsonSchema(registry), undefined, 2)}\n`,
    ],
  ]);
}

/** Files whose content differs from what the stages say. */
export function staleFiles(): string[] {
  return [...generated()].filter(([file, text]) => readOrEmpty(file) !== text).map(([file]) => file);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

if (process.argv[1]?.endsWith('generate-docs.ts')) {
  for (const [file, text] of generated()) writeFileSync(file, text);
}
