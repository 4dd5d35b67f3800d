/** A loopback server for the shipped samples: feeds, pages, and one feed that fails. `{{base}}` becomes its own address. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

export interface SampleServer {
  /** `http://127.0.0.1:port`. */
  readonly base: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.xml': 'application/rss+xml',
  '.atom': 'application/atom+xml',
  '.rdf': 'application/rdf+xml',
  '.json': 'application/feed+json',
  '.html': 'text/html; charset=utf-8',
};

/** Serves `folder` on a free loopback port. */
export async function serveSamples(folder: string): Promise<SampleServer> {
  let base = '';
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', base).pathname));
    try {
      const body = sampleText(join(folder, path), base);
      const type = TYPES[/\.\w+$/.exec(path)?.[0] ?? ''] ?? 'application/octet-stream';
      response.writeHead(path.includes('broken') ? 500 : 200, { 'content-type': type }).end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A sample file with the server's address filled in. */
export function sampleText(file: string, base: string): string {
  return readFileSync(file, 'utf8').replaceAll('{{base}}', base);
}
