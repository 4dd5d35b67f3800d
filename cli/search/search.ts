/** Runs `pipeline search` and prints the answer in the format asked for. */
import { ConfigError } from '../../runner/errors.js';
import { search } from '../../workspace/search.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { type FilterFlags, filterFrom } from './filter-options.js';
import { explained, formats } from './show.js';

export interface SearchFlags extends CommonOptions, FilterFlags {
  readonly limit: string;
  readonly maxTokens?: string;
  readonly format: string;
  readonly prefix?: boolean;
  readonly explain?: boolean;
  readonly set: string[];
}

export async function searchVault(text: string, flags: SearchFlags): Promise<number> {
  const output = new Output(flags);
  const format = flags.json ? 'json' : flags.format;
  const render = formats[format];
  if (!render) {
    throw new ConfigError('search-format', `There is no format "${format}".`, {
      remedy: `Use one of ${Object.keys(formats).join(', ')}.`,
    });
  }
  return withWorkspace(
    flags,
    async (workspace) => {
      const filter = filterFrom(flags, workspace.clock.now(), workspace.settings.sensitivity.ceilings.cli);
      const explainedAnswer = await search(workspace, {
        text,
        filter,
        limit: wholeNumber('--limit', flags.limit),
        overrides: flags.set,
        ...(flags.maxTokens === undefined ? {} : { maxTokens: wholeNumber('--max-tokens', flags.maxTokens) }),
        ...(flags.prefix ? { prefix: true } : {}),
      });
      const { answer } = explainedAnswer;
      if (format !== 'json') for (const notice of answer.notices) await output.info(notice.message);
      if (format === 'json' && flags.explain) {
        const { hits, report } = explainedAnswer;
        const results = answer.results.map((result, i) => ({ ...result, explain: hits[i]?.explain ?? {} }));
        await output.json({ ...answer, results, stages: report.stages, reports: report.reports, filter });
      } else if (format === 'json') await output.json(answer);
      else await output.text(flags.explain ? explained(explainedAnswer, filter) : render(answer, output.terminal));
      return 0;
    },
    { readOnly: true },
  );
}

/** @throws {ConfigError} when the option is not a number above 0. */
export function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new ConfigError('bad-number', `${option} "${text}" is not a whole number above 0.`);
}
