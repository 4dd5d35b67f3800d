/** Runs `pipeline eval` and prints its table. */
import { readBeir, readOwnQueries } from '../../lib/eval/collection.js';
import type { Evaluation } from '../../lib/eval/evaluate.js';
import { ConfigError } from '../../runner/errors.js';
import { loadPipeline } from '../../runner/load.js';
import { registry } from '../../stages/index.js';
import { evaluateCollection, evaluateVault } from '../../workspace/evaluation.js';
import { resourcesWithoutVault } from '../../workspace/nowhere.js';
import { readPipelineSource } from '../../workspace/pipelines.js';
import { isOnServer, serverUrl } from '../../workspace/server.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';

export interface EvalFlags extends CommonOptions {
  readonly beir?: string;
  readonly showMisses?: boolean;
  readonly model?: string;
  readonly store: string;
  readonly pipeline: string;
  readonly set: string[];
}

/** The longest list of misses a person reads; `--json` has them all. */
const MISSES_SHOWN = 50;

export async function evaluateSearch(file: string | undefined, flags: EvalFlags): Promise<number> {
  if ((file === undefined) === (flags.beir === undefined)) {
    throw new ConfigError('eval-usage', 'Name either a file of questions or a test collection with --beir.', {
      remedy: 'See `pipeline eval --help`.',
    });
  }
  if (flags.model !== undefined && flags.beir === undefined)
    throw new ConfigError('eval-usage', 'A vault is measured with the model its index holds.', {
      remedy: 'Change it with `pipeline models use`, or measure a collection with --beir.',
    });
  if (flags.store !== 'sqlite' && flags.beir === undefined)
    throw new ConfigError('eval-usage', 'A vault is measured in the store it is configured with.', {
      remedy: 'Change the setting `store`, or measure a collection with --beir.',
    });
  const output = new Output(flags);
  const result =
    flags.beir === undefined
      ? await ownQuestions(file ?? '', flags, output)
      : await collection(flags.beir, flags, output);
  if (output.wantsJson) {
    const { misses, ...rest } = result;
    await output.json(flags.showMisses ? { ...rest, misses } : rest);
    return 0;
  }
  await output.text(table(result));
  if (flags.showMisses) await output.text(missList(result));
  return 0;
}

const now = (): number => performance.now();

async function collection(folder: string, flags: EvalFlags, output: Output): Promise<Evaluation> {
  const set = readBeir(folder);
  const resources = resourcesWithoutVault(process.cwd(), process.env, flags.offline ?? false, flags.model);
  const plan = loadPipeline(readPipelineSource(flags.pipeline, undefined), {
    registry,
    env: process.env,
    overrides: flags.set,
  });
  try {
    const setup = { resources, plan, now, onNotice: (text: string) => void output.info(text) };
    return await evaluateCollection(set, setup, isOnServer(flags) ? serverUrl(flags) : undefined);
  } finally {
    await resources.close();
  }
}

function ownQuestions(file: string, flags: EvalFlags, output: Output): Promise<Evaluation> {
  const queries = readOwnQueries(file);
  return withWorkspace(
    flags,
    async (workspace) =>
      evaluateVault(file, queries, {
        resources: workspace.resources,
        plan: workspace.plan(flags.pipeline, flags.set),
        now,
        onNotice: (text) => void output.info(text),
      }),
    { readOnly: true },
  );
}

const COLUMNS = ['ndcg10', 'mrr', 'hit1', 'hit5', 'hit10', 'recall100', 'p50_ms', 'p95_ms'] as const;
const TITLES = ['nDCG@10', 'MRR', 'hit@1', 'hit@5', 'hit@10', 'rec@100', 'p50 ms', 'p95 ms'];

function table({ set, queries, arms }: Evaluation): string {
  const rows = Object.entries(arms).map(([name, result]) => [
    name,
    ...COLUMNS.map((key) => result[key].toFixed(key.endsWith('_ms') ? 1 : 3)),
  ]);
  const lines = [['arm', ...TITLES], ...rows].map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(8) : cell.padStart(8))).join(' '),
  );
  return `${set}: ${queries} questions\n${lines.join('\n')}\n`;
}

function missList({ misses }: Evaluation): string {
  const ours = misses.filter((miss) => miss.arm === 'search');
  const shown = ours.slice(0, MISSES_SHOWN).map(({ query, expected, rank, instead }) => {
    const where = rank === null ? 'not found' : `at rank ${rank}`;
    return `\n${query}\n  expected ${expected.slice(0, 3).join(', ')} (${where})\n  instead  ${instead.join(', ') || 'nothing'}`;
  });
  const more = ours.length > shown.length ? `\n… and ${ours.length - shown.length} more; --json has them all.` : '';
  return `\n${ours.length} questions without a right answer in the first ten:${shown.join('')}${more}\n`;
}
