/** `pipeline mcp`: the vault as an MCP server, over stdio or HTTP. */
import type { Command } from 'commander';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface McpFlags extends CommonOptions {
  readonly http?: boolean;
  readonly host: string;
  readonly port: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly allowHost?: string[];
  readonly watch?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--http', 'Streamable HTTP instead of stdio')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <number>', 'port to listen on; 0 takes a free one', '3333')
      .option('--token <secret>', 'require this bearer token (better: --token-file, or the variable SLUICE_TOKEN)')
      .option('--token-file <path>', 'require the bearer token that stands in this file')
      .option('--allow-host <name...>', 'further Host names to serve, for a reverse proxy')
      .option('--watch', 'also index notes as they are written')
      .addHelpText('after', EXAMPLES)
      .action(serve);
  },
};

const EXAMPLES = `
Over stdio, stdout carries JSON-RPC only; the process ends with its input. All tools are read-only.

Examples:
  pipeline mcp --vault ~/notes
  pipeline mcp --vault ~/notes --watch
  pipeline mcp --vault ~/notes --http --port 3333
  pipeline install claude-code --vault ~/notes     # registers it`;

async function serve(flags: McpFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const stop = new AbortController();
  const watching = flags.watch ? watch(flags, stop.signal) : undefined;
  try {
    await withWorkspace(flags, (workspace) => (flags.http ? overHttp(workspace, flags) : overStdio(workspace)), {
      readOnly: true,
    });
  } finally {
    stop.abort();
    await watching;
  }
}

async function overStdio(workspace: Workspace): Promise<void> {
  const { serveStdio } = await import('../mcp/stdio.js');
  await serveStdio(workspace);
}

async function overHttp(workspace: Workspace, flags: McpFlags): Promise<void> {
  const { serveHttp } = await import('../mcp/http.js');
  const { portOf } = await import('../mcp/port.js');
  const { tokenOf } = await import('../mcp/token.js');
  const { Output } = await import('../output.js');
  const token = tokenOf(flags, process.env);
  const server = await serveHttp(workspace, {
    host: flags.host,
    port: portOf(flags.port),
    ...(token ? { token } : {}),
    ...(flags.allowHost ? { allowedHosts: flags.allowHost } : {}),
  });
  await new Output(flags).info(
    `Serving ${workspace.vaultDir} at ${server.url}${token ? ' with a bearer token' : ''}. Ctrl-C stops it.`,
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
}

/**
 * Indexes beside the server, through a workspace of its own: the one that answers stays read-only. What goes wrong is
 * said on stderr and never ends the server.
 */
async function watch(flags: McpFlags, signal: AbortSignal): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { messageOf } = await import('../../runner/errors.js');
  const { watchVault } = await import('../../workspace/watch.js');
  const output = new Output(flags);
  const onProblem = (message: string): void => void output.info(message);
  try {
    await withWorkspace(flags, (workspace) => watchVault(workspace, { signal, onProblem }));
  } catch (error) {
    onProblem(`The vault is not watched: ${messageOf(error)}`);
  }
}
