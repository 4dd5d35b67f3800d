/** MCP over stdio. Stdout belongs to JSON-RPC alone: whatever else prints goes to stderr. Ends with its input. */
import { PassThrough, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Workspace } from '../../workspace/workspace.js';
import { announceChanges } from './changes.js';
import { createMcpServer, openSurface, warm } from './server.js';

/** Takes stdout away from everybody else. Returns the stream that still reaches it. */
function reserveStdout(): Writable {
  const real = process.stdout.write.bind(process.stdout);
  const channel = new PassThrough();
  channel.on('data', (part: Buffer) => real(part));
  process.stdout.write = process.stderr.write.bind(process.stderr);
  console.log = console.error;
  console.info = console.error;
  console.debug = console.error;
  return channel;
}

/** Serves until stdin closes. */
export async function serveStdio(workspace: Workspace): Promise<void> {
  const output = reserveStdout();
  const server = await createMcpServer(await openSurface(workspace, 'mcp'));
  const transport = new StdioServerTransport(process.stdin, output);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    // A client that was killed in the middle of an answer leaves a broken pipe: the session is over, nothing crashed.
    process.stdout.once('error', () => resolve());
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  await server.connect(transport);
  void warm(workspace);
  const over = new AbortController();
  void announceChanges(workspace, () => [server], over.signal);
  await ended;
  over.abort();
  await server.close();
}
