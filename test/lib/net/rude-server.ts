/** A loopback server that plays the web's bad manners, for tests of the fetcher and of whole runs. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, gzipSync } from 'node:zlib';

export interface RudeServer {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** Path and time of each request, in order of arrival. */
  readonly seen: { readonly path: string; readonly at: number; readonly headers: IncomingMessage['headers'] }[];
  /** The most requests that were open at once. */
  readonly mostAtOnce: () => number;
  /** Answers a path; overrides the built-in manners. */
  on(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const MIB = 1024 * 1024;

const manners: Readonly<Record<string, Answer>> = {
  '/ok': (_, response) => void response.setHeader('content-type', 'text/plain').end('hello'),
  '/slow': (_, response) => void setTimeout(() => response.end('late'), 60),
  '/gzip': (_, response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync('packed')),
  '/br': (_, response) => void response.setHeader('content-encoding', 'br').end(brotliCompressSync('packed')),
  '/raw-deflate': (_, response) => void response.setHeader('content-encoding', 'deflate').end(deflateRawSync('packed')),
  '/cut-gzip': (_, response) =>
    void response.setHeader('content-encoding', 'gzip').end(gzipSync('whole words '.repeat(500)).subarray(0, -12)),
  // 1 GiB of zeros in about 1 MiB.
  '/bomb': (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    const gzip = createGzip();
    const zeros = Buffer.alloc(MIB);
    let left = 1024;
    const more = (): void => {
      while (left-- > 0) if (!gzip.write(zeros)) return void gzip.once('drain', more);
      gzip.end();
    };
    gzip.pipe(response);
    response.on('close', () => gzip.destroy());
    more();
  },
  '/drip': (_, response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/silent': () => undefined,
  '/large': (_, response) => {
    const block = Buffer.alloc(MIB, 'x');
    let left = 20;
    const more = (): void => {
      while (left-- > 0) if (!response.write(block)) return void response.once('drain', more);
      response.end();
    };
    more();
  },
  '/announced-large': (_, response) =>
    void response.writeHead(200, { 'content-length': String(20 * MIB) }).end(Buffer.alloc(10)),
  '/not-modified': (request, response) =>
    void response.writeHead(request.headers['if-none-match'] === '"v1"' ? 304 : 200, { etag: '"v1"' }).end(),
  '/busy-seconds': (_, response) => void response.writeHead(429, { 'retry-after': '120' }).end(),
  '/busy-date': (_, response) =>
    void response.writeHead(429, { 'retry-after': new Date(Date.now() + 300_000).toUTCString() }).end(),
  '/forbidden': (_, response) => void response.writeHead(403).end('go away'),
  '/loop': (_, response) => void response.writeHead(302, { location: '/loop' }).end(),
  '/to-loopback': (request, response) => {
    const port = request.socket.localPort;
    response.writeHead(302, { location: `http://127.0.0.1:${port}/ok` }).end();
  },
  '/to-metadata': (_, response) =>
    void response.writeHead(301, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  '/to-file': (_, response) => void response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
  '/to-ok': (_, response) => void response.writeHead(301, { location: '/ok' }).end(),
  '/cut-off': (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('some');
    response.socket?.destroy();
  },
};

export async function startRudeServer(): Promise<RudeServer> {
  const seen: RudeServer['seen'] = [];
  const own = new Map<string, Answer>();
  let open = 0;
  let most = 0;
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.push({ path, at: performance.now(), headers: request.headers });
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    const answer = own.get(path) ?? manners[path];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    seen,
    mostAtOnce: () => most,
    on: (path, answer) => void own.set(path, answer),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
