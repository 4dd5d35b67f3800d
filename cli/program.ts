/** Builds the command line: only the command that was asked for is loaded, so that start-up stays short. */
import { Command, CommanderError, Option } from 'commander';
import { describeError, PipelineError } from '../runner/errors.js';
import { commands } from './commands.js';
import { errorLine } from './output.js';

const EXIT_CODES = `
Exit codes: 0 ok, 1 done but some items failed, 2 usage or configuration, 3 could not run.
Start with: pipeline init ~/notes && pipeline index --vault ~/notes && pipeline search "what you look for" --vault ~/notes`;

/** Runs one command line. Returns the exit code; never throws. */
export async function main(args: readonly string[]): Promise<number> {
  const program = await buildProgram(args);
  const wanted = wantedCommand(args);
  const minusWords = wanted !== undefined && (await commands[wanted]?.load())?.command.minusWords;
  try {
    await program.parseAsync(minusWords ? minusWordsLast(args) : [...args], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    await errorLine(describeError(error));
    if (args.includes('--verbose') && error instanceof Error && error.stack) await errorLine(error.stack);
    return error instanceof PipelineError ? error.exitCode : 3;
  }
}

function wantedCommand(args: readonly string[]): string | undefined {
  return args.find((a) => !a.startsWith('-') && Object.hasOwn(commands, a));
}

/** `search memory -sports --json` as commander wants it: `search memory --json -- -sports`. */
function minusWordsLast(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const [options, rest] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const isWord = (arg: string): boolean => /^-[^-]/.test(arg) && arg !== '-h';
  const words = [...options.filter(isWord), ...rest];
  return words.length === 0 ? [...args] : [...options.filter((arg) => !isWord(arg)), '--', ...words];
}

/** All commands with their summaries; the named one (or all, for documentation) with its options. */
export async function buildProgram(args: readonly string[], everything = false): Promise<Command> {
  const program = new Command('pipeline')
    .description('Intake, signal triage and retrieval for Markdown vaults.')
    .option('-V, --version', 'print the version')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError('Run `pipeline --help` for the list of commands.');
  const wanted = wantedCommand(args);
  const helped = args[0] === 'help' ? args[1] : undefined;
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program.command(name).summary(summary).description(summary).exitOverride();
    if (everything || name === wanted || name === helped) {
      (await load()).command.configure(command);
      command.showHelpAfterError(`Run \`pipeline ${name} --help\` for its options and examples.`);
      addCommonOptions(command);
    }
  }
  return program;
}

/** Adds the options of CLI.md to a command, or to its subcommands when it has any. */
function addCommonOptions(command: Command): void {
  if (command.commands.length > 0) {
    for (const sub of command.commands) {
      sub.exitOverride();
      addCommonOptions(sub);
    }
    return;
  }
  const taken = new Set(command.options.map((o) => o.long));
  const common = [
    new Option('--vault <dir>', 'vault folder (default: the nearest one upwards)').env('VAULT_PATH'),
    new Option('--db <file>', 'index file (default: in the state folder)').env('DB_PATH'),
    new Option('--config <file>', 'settings file (default: <vault>/.pipeline/config.yaml)'),
    new Option('--json', 'machine-readable result on stdout'),
    new Option('--quiet', 'no progress and no notices'),
    new Option('--verbose', 'debug messages on stderr'),
    new Option('--offline', 'refuse all network access'),
  ];
  for (const option of common) if (!taken.has(option.long ?? undefined)) command.addOption(option);
}
