/** `pipeline eval`: how well search answers, on your own questions or on a test collection. */
import type { Command } from 'commander';
import type { CommandModule } from '../command.js';
import type { EvalFlags } from '../search/evaluate.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[file]', 'your own questions, one JSON object a line')
      .option('--beir <dir>', 'a test collection instead: corpus.jsonl, queries.jsonl, qrels.tsv')
      .option('--show-misses', 'list the questions that search answers badly')
      .option('--model <name>', 'embedding model for --beir (default: the one that ships)')
      .option('--store <store>', 'index --beir in "sqlite", at a postgres:// URL, or at the URL in file:PATH', 'sqlite')
      .option('--pipeline <name>', 'the query pipeline to measure', 'search')
      .option('--set <step.key=value>', 'override a setting of the search pipeline; may be repeated', collect, [])
      .addHelpText('after', EXAMPLES)
      .action(async (file: string | undefined, flags: EvalFlags) => {
        const { evaluateSearch } = await import('../search/evaluate.js');
        process.exitCode = await evaluateSearch(file, flags);
      });
  },
};

const collect = (value: string, all: string[]): string[] => [...all, value];

const EXAMPLES = `
A questions file has one object a line; "expected" is a note or a list of notes:
  {"query": "how do we rotate tokens", "expected": "01-projects/auth/rotation.md"}

Arms: grep (words anywhere in the text), bm25, vector, rrf (both fused), search (the search pipeline as configured).

On a server --beir is indexed in a schema of its own, which is dropped afterwards.

Examples:
  pipeline eval questions.jsonl --vault ~/notes
  pipeline eval questions.jsonl --show-misses
  pipeline eval --beir sets/cacm --json
  pipeline eval --beir sets/cacm --model all-MiniLM-L6-v2
  pipeline eval --beir sets/cacm --set rescore.meaning=0.3
  pipeline eval --beir sets/cacm --store file:/run/secrets/store --pipeline team-search`;
