/** Runs a `<pipeline>.test.yaml`: given a vault, an input, expect items, files and counts. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Item, makeItem } from '../../runner/items.js';
import { openWorkspace } from '../../workspace/workspace.js';
import { temporaryFolder } from './cli.js';

const caseSchema = z.strictObject({
  name: z.string(),
  given: z
    .strictObject({
      /** Vault-relative path to text. */
      vault: z.record(z.string(), z.string()).default({}),
      /** Pipelines to run first. */
      run: z.array(z.string()).default([]),
    })
    .prefault({}),
  /** Data of the item put in, a Query unless `kind` says otherwise; absent for pipelines that start with a source. */
  input: z.looseObject({ kind: z.enum(['Query', 'Article']).default('Query') }).optional(),
  expect: z.strictObject({
    /** Partial data of the items that come out, in order. */
    items: z.array(z.looseObject({})).optional(),
    written: z.number().optional(),
    dropped: z.record(z.string(), z.number()).optional(),
    failed: z.number().optional(),
    notices: z.array(z.string()).optional(),
    /** Vault-relative path (or its start, ending in `*`) to texts the file must hold. */
    files: z.record(z.string(), z.array(z.string())).optional(),
  }),
});
const fileSchema = z.strictObject({ tests: z.array(caseSchema).min(1) });

export type PipelineCase = z.output<typeof caseSchema>;

export function readPipelineTests(file: string): PipelineCase[] {
  return fileSchema.parse(parse(readFileSync(file, 'utf8'))).tests;
}

export interface PipelineOutcome {
  readonly items: readonly unknown[];
  readonly written: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly notices: readonly string[];
  /** Text of a vault file by path or path prefix; undefined when there is none. */
  file(path: string): string | undefined;
}

/** Runs one case in a vault and state folder of its own, with the clock standing still. */
export async function runPipelineCase(pipeline: string, test: PipelineCase): Promise<PipelineOutcome> {
  const vault = temporaryFolder('pipeline-test');
  for (const [path, text] of Object.entries(test.given.vault)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const workspace = await openWorkspace({
    vault,
    cwd: vault,
    offline: true,
    env: {},
    stateDir: temporaryFolder('state'),
    clock: { now: () => Date.UTC(2026, 10, 20, 9) },
  });
  try {
    for (const name of test.given.run) await workspace.run(name);
    const input = test.input ? [inputItem(test.input)] : [];
    const { items, report } = await workspace.run(pipeline, { input, chain: false });
    return {
      items: items.map((i) => i.data),
      written: report.written,
      dropped: report.dropped,
      failed: report.failed.length,
      notices: report.notices.map((n) => n.code),
      file: (path) => readVaultFile(vault, path),
    };
  } finally {
    await workspace.close();
  }
}

function inputItem({ kind, ...data }: NonNullable<PipelineCase['input']>): Item {
  return kind === 'Query'
    ? makeItem('Query', { text: '', filter: {}, limit: 5, ...data })
    : makeItem('Article', { source: { name: 'test', kind: 'capture' }, title: '', tags: [], ...data });
}

function readVaultFile(vault: string, path: string): string | undefined {
  const folder = join(vault, dirname(path));
  const wanted = path.split('/').at(-1) ?? '';
  const name = wanted.endsWith('*')
    ? (existsSync(folder) ? readdirSync(folder) : []).find((n) => n.startsWith(wanted.slice(0, -1)))
    : wanted;
  const file = join(folder, name ?? '');
  return name && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
