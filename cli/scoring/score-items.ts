/** `pipeline score [FILE.jsonl]`: what intake would think of these items; writes nothing. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadConfig } from '../../config/load.js';
import { type ItemLine, readItemLine, type ScoredLine, scoredLine, unscoredLine } from '../../lib/scoring/item-line.js';
import { createScorer, type Scorer } from '../../lib/scoring/scorer.js';
import { ConfigError, describeError, messageOf } from '../../runner/errors.js';
import { loadPipeline } from '../../runner/load.js';
import { registry } from '../../stages/index.js';
import { readPipelineSource } from '../../workspace/pipelines.js';
import { ingestRouting, type Routing } from '../../workspace/routing.js';
import { loadScoring } from '../../workspace/scoring.js';
import type { CommonOptions } from '../command.js';
import { openForCommand } from '../open.js';
import { Output } from '../output.js';
import { type RoutingFlags, withFlags } from './options.js';
import { cueText, scoreLines } from './show.js';

export interface ScoreFlags extends CommonOptions, RoutingFlags {
  readonly explain?: boolean;
}

/** Exit code: 1 when a line could not be read or an item not be scored. */
export async function scoreItems(file: string | undefined, flags: ScoreFlags): Promise<number> {
  const output = new Output(flags);
  const { scorer, routing: inForce } = await openScoring(flags);
  const routing = withFlags(inForce, flags, scorer);
  const input = file === undefined || file === '-' ? process.stdin : createReadStream(file, 'utf8');
  let number = 0;
  let failed = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() === '') continue;
      let item: ItemLine;
      try {
        item = readItemLine(line, number);
      } catch (error) {
        failed++;
        await output.info(describeError(error));
        continue;
      }
      const scored = scoreOne(item, scorer, routing);
      if (scored.decision === 'unscored') failed++;
      if (flags.explain && !output.wantsJson) await output.text(explained(item, scored, scorer, routing));
      else await output.line(JSON.stringify({ ...item.input, ...scored }));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ConfigError('file-missing', `There is no file ${file}.`, {
      remedy: 'Name a .jsonl file, or pipe items in.',
    });
  }
  return failed > 0 ? 1 : 0;
}

function scoreOne({ article }: ItemLine, scorer: Scorer, { weights, thresholds }: Routing): ScoredLine {
  try {
    return scoredLine(scorer.score(article, weights), thresholds);
  } catch (error) {
    return unscoredLine(messageOf(error));
  }
}

function explained({ article }: ItemLine, line: ScoredLine, scorer: Scorer, { weights }: Routing): string {
  if (line.evidence === null) return `${article.title}\n  unscored: ${line.reason}\n\n`;
  const { scores, domain } = scorer.score(article, weights);
  const others = Object.entries(domain.scores).map(([name, score]) => `${name} ${score.toFixed(2)}`);
  return [
    article.title || '(no title)',
    `  ${line.reason}`,
    ...scoreLines(scores, 10).map((l) => `  ${l}`),
    `  domain        ${domain.domain}, then ${domain.second ?? 'none'}: ${cueText(domain.evidence, 8)}`,
    `                all: ${others.join(', ') || 'nothing'}`,
    '',
    '',
  ].join('\n');
}

/** The scorer of the vault when there is one, the shipped one otherwise: items can be scored anywhere. */
async function openScoring(flags: CommonOptions): Promise<{ scorer: Scorer; routing: Routing }> {
  try {
    const workspace = await openForCommand(flags, { readOnly: true });
    try {
      const scorer = await workspace.resources.use('scorer');
      return { scorer, routing: ingestRouting(() => workspace.plan('ingest'), scorer) };
    } finally {
      await workspace.close();
    }
  } catch (error) {
    const nowhere = flags.vault === undefined && flags.config === undefined;
    if (!(error instanceof ConfigError) || error.code !== 'vault-missing' || !nowhere) throw error;
    const place = { env: process.env };
    const scorer = createScorer(loadScoring((name, schema) => loadConfig(name, schema, place)));
    const load = () => loadPipeline(readPipelineSource('ingest', undefined), { registry, env: process.env });
    return { scorer, routing: ingestRouting(load, scorer) };
  }
}
