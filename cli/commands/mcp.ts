/** `pipeline mcp`: the vault as an MCP server, over stdio or HTTP. */
import type { Command } from 'commander';
import { ConfigError } from '../../runner/errors.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface McpFlags extends CommonOptions {
  readonly http?: boolean;
  readonly host: string;
  readonly port: string;
  readonly token?: string;
  readonly allowHost?: string[];
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--http', 'Streamable HTTP instead of stdio')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <number>', 'port to listen on; 0 takes a free one', '3333')
      .option('--token <secret>', 'require this bearer token (better: the variable SLUICE_TOKEN)')
      .option('--allow-host <name...>', 'further Host names to serve, for a reverse proxy')
      .addHelpText('after', EXAMPLES)
      .action(serve);
  },
};

const EXAMPLES = `
Over stdio, stdout carries JSON-RPC only; the process ends with its input. All tools are read-only.

Examples:
  pipeline mcp --vault ~/notes
  pipeline mcp --vault ~/notes --http --port 3333
  pipeline install claude-code --vault ~/notes     # registers it`;

async function serve(flags: McpFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  await withWorkspace(
    flags,
    async (workspace) => {
      if (!flags.http) {
        const { serveStdio } = await import('../mcp/stdio.js');
        return serveStdio(workspace);
      }
      const { serveHttp } = await import('../mcp/http.js');
      const { Output } = await import('../output.js');
      const token = flags.token ?? process.env['SLUICE_TOKEN'];
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
    },
    { readOnly: true },
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new ConfigError('port', `"${text}" is not a port.`, { remedy: 'Use a number from 0 to 65535.' });
  return port;
}
