/** `pipeline score`: score items from a file, learn interests, report on routing, tune weights. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';
import type { ApplyFlags } from '../scoring/judge.js';
import type { ScoreFlags } from '../scoring/score-items.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command.addHelpText('after', EXAMPLES);
    command
      .command('items [file]', { isDefault: true })
      .description('score items {title, url, text, tags, feed}, one JSON object a line, from a file or stdin (default)')
      .option('--explain', 'bars and cues for people instead of JSON')
      .option('--preset <name>', 'named weights of scoring.yaml')
      .option('--weights <r/a/d/u>', 'relevance/actionability/depth/authority, e.g. 0.35/0.25/0.25/0.15')
      .option('--threshold <n>', 'write threshold, or write=0.6,review=0.2')
      .action(async (file: string | undefined, flags: ScoreFlags) => {
        const { scoreItems } = await import('../scoring/score-items.js');
        process.exitCode = await scoreItems(file, flags);
      });
    command
      .command('learn')
      .description("interests from the vault's own titles and tags")
      .option('--apply', 'write them to .pipeline/scoring.yaml')
      .action(async (flags: ApplyFlags) => {
        process.exitCode = await (await import('../scoring/judge.js')).learn(flags);
      });
    command
      .command('report')
      .description('how well routing agrees with what you kept, moved, edited, rejected and deleted')
      .action(async (flags: CommonOptions) => {
        process.exitCode = await (await import('../scoring/judge.js')).report(flags);
      });
    command
      .command('tune')
      .description('propose weights, threshold and source priors from your judgements, cross-validated')
      .option('--apply', "write them to the vault's own ingest pipeline and authority.yaml")
      .action(async (flags: ApplyFlags) => {
        process.exitCode = await (await import('../scoring/judge.js')).tuneRules(flags);
      });
  },
};

const EXAMPLES = `
Examples:
  pipeline score items.jsonl
  pipeline score items.jsonl --explain
  echo '{"title":"How to fix SQL injection in Express"}' | pipeline score --explain
  pipeline score items.jsonl --weights 0.4/0.3/0.2/0.1 --threshold 0.6
  pipeline score learn --apply
  pipeline score report
  pipeline score tune`;
