/** `pipeline serve`: schedule, watch, prompt-cache blocks and the MCP server over HTTP, in one process. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface ServeFlags extends CommonOptions {
  readonly host: string;
  readonly port: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly allowHost?: string[];
  readonly schedule: boolean;
  readonly watch: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <number>', 'port to listen on; 0 takes a free one', '3333')
      .option('--token <secret>', 'require this bearer token (better: --token-file, or the variable SLUICE_TOKEN)')
      .option('--token-file <path>', 'require the bearer token that stands in this file')
      .option('--allow-host <name...>', 'further Host names to serve, for a reverse proxy')
      .option('--no-schedule', 'run no pipelines by the clock')
      .option('--no-watch', 'do not index notes as they are written')
      .addHelpText('after', EXAMPLES)
      .action(serve);
  },
};

const EXAMPLES = `
One process that keeps a vault: runs what schedule.yaml says, indexes notes as they are written, keeps blocks current and
answers agents over HTTP. Ctrl-C or SIGTERM stops it after the notes in hand.

Examples:
  pipeline serve --vault ~/notes
  SLUICE_TOKEN=… pipeline serve --vault ~/notes --host 0.0.0.0 --allow-host notes.lan
  pipeline serve --no-schedule --port 0`;

async function serve(flags: ServeFlags): Promise<void> {
  const { serveAll } = await import('../serve.js');
  const { Output } = await import('../output.js');
  const { interruption } = await import('../signals.js');
  const { portOf } = await import('../mcp/port.js');
  const { tokenOf } = await import('../mcp/token.js');
  const port = portOf(flags.port);
  const output = new Output(flags);
  const interrupted = interruption(() => void output.info('Stopping after what is in hand.'));
  try {
    const token = tokenOf(flags, process.env);
    await serveAll(flags, output, interrupted.stop, {
      host: flags.host,
      port,
      ...(token ? { token } : {}),
      ...(flags.allowHost ? { allowedHosts: flags.allowHost } : {}),
    });
  } finally {
    interrupted.dispose();
  }
}
