/** MCP over Streamable HTTP: loopback by default, Host and Origin checked, optional token, sessions that expire. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Workspace } from '../../workspace/workspace.js';
import { announceChanges } from './changes.js';
import { createMcpServer, openSurface, warm } from './server.js';
import type { Surface } from './tools.js';

export interface HttpOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Required as `Authorization: Bearer …` when set. */
  readonly token?: string;
  /** Host names, beside the loopback ones, that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** Milliseconds without a request after which a session ends. */
  readonly sessionIdleMs?: number;
}

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/mcp';
const HEALTH_PATH = '/health';
/** Largest request body; queries are at most 10,000 characters. */
const MAX_BODY = 1024 * 1024;
const DEFAULT_IDLE_MS = 30 * 60_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

interface Session {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
  lastUsed: number;
}

/** Starts listening. Every session has a server of its own on the shared workspace. */
export async function serveHttp(workspace: Workspace, options: HttpOptions): Promise<HttpServer> {
  const surface = await openSurface(workspace, 'http');
  const sessions = new Map<string, Session>();
  const now = (): number => workspace.clock.now();
  const server = createServer((request, response) => {
    handle(request, response, { surface, sessions, options, now }).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'Internal error');
      else response.destroy();
    });
  });
  const idle = options.sessionIdleMs ?? DEFAULT_IDLE_MS;
  const sweep = setInterval(() => expire(sessions, now() - idle), Math.min(idle, 60_000)).unref();
  await listen(server, options);
  void warm(workspace);
  const closed = new AbortController();
  void announceChanges(workspace, () => [...sessions.values()].map((session) => session.server), closed.signal);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${PATH}`,
    async close() {
      clearInterval(sweep);
      closed.abort();
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function expire(sessions: Map<string, Session>, before: number): void {
  for (const [id, session] of sessions) {
    if (session.lastUsed >= before) continue;
    sessions.delete(id);
    void session.transport.close();
  }
}

interface Handling {
  readonly surface: Surface;
  readonly sessions: Map<string, Session>;
  readonly options: HttpOptions;
  now(): number;
}

async function handle(request: IncomingMessage, response: ServerResponse, handling: Handling): Promise<void> {
  const { options, sessions } = handling;
  if (pathOf(request) === HEALTH_PATH) return answerHealth(response, handling.surface);
  const refusal = refusalOf(request, options);
  if (refusal) {
    // What the client still sends is read and dropped: closing on it would look like a broken connection.
    request.resume();
    return refuse(response, refusal.status, refusal.message);
  }
  const body = request.method === 'POST' ? await readJson(request, response) : undefined;
  if (response.writableEnded) return;
  const id = request.headers['mcp-session-id'];
  const session = typeof id === 'string' ? sessions.get(id) : undefined;
  if (session) {
    session.lastUsed = handling.now();
    return session.transport.handleRequest(request, response, body);
  }
  if (typeof id === 'string') return refuse(response, 404, 'No such session; initialize again.');
  if (request.method !== 'POST' || !isInitializeRequest(body)) return refuse(response, 400, 'Initialize first.');
  const transport = await openSession(handling);
  return transport.handleRequest(request, response, body);
}

async function openSession({ surface, sessions, now }: Handling): Promise<StreamableHTTPServerTransport> {
  const server = await createMcpServer(surface);
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, { server, transport, lastUsed: now() }),
  });
  transport.onclose = () => {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
  };
  // The SDK's transport type marks optional handlers as possibly undefined, which exact optional types refuse.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}

/** Host and Origin stop a web page from reaching a local server by rebinding a name; the token stops everybody else. */
function refusalOf(request: IncomingMessage, options: HttpOptions): { status: number; message: string } | undefined {
  if (pathOf(request) !== PATH) return { status: 404, message: `The endpoint is ${PATH}.` };
  const allowed = (host: string | undefined): boolean =>
    host !== undefined && (LOOPBACK.has(host) || host === options.host || (options.allowedHosts ?? []).includes(host));
  if (!allowed(hostName(request.headers.host))) return { status: 403, message: 'This Host is not served.' };
  const { origin } = request.headers;
  if (origin !== undefined && !allowed(URL.canParse(origin) ? new URL(origin).hostname : undefined))
    return { status: 403, message: 'This Origin is not allowed.' };
  if (options.token !== undefined && !sameToken(request.headers.authorization, options.token))
    return { status: 401, message: 'A bearer token is required.' };
  return undefined;
}

const pathOf = (request: IncomingMessage): string => new URL(request.url ?? '/', 'http://x').pathname;

/** For whoever restarts what does not answer: 200 while the index can be asked. Says nothing else, so it needs no token. */
async function answerHealth(response: ServerResponse, { workspace }: Surface): Promise<void> {
  const asked = workspace.resources.use('store').then((store) => store.version());
  const status = await asked.then(
    () => 200,
    () => 503,
  );
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ status: status === 200 ? 'ok' : 'no index' }));
}

function hostName(header: string | undefined): string | undefined {
  return header?.replace(/:\d+$/, '').toLowerCase();
}

/** Compares digests in constant time, so that neither length nor prefix of the token leaks. */
function sameToken(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

async function readJson(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) {
      refuse(response, 413, 'The request is too large.');
      return undefined;
    }
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    refuse(response, 400, 'The body is not JSON.', -32700);
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string, code = -32000): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
