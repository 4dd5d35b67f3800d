/** A TCP proxy before a database that can be told to cut its connections, as a failing network would. */
import { connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  /** The URL given, by way of the proxy. */
  readonly url: string;
  /** Bytes clients have sent so far. */
  sent(): number;
  /** Cuts every connection as soon as clients have sent this many bytes more; later ones go through. */
  cutAfter(bytes: number): void;
  /** How often it has cut. */
  cuts(): number;
  stop(): Promise<void>;
}

export async function startCutProxy(url: string): Promise<CutProxy> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let sent = 0;
  let cuts = 0;
  let limit = Number.POSITIVE_INFINITY;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (data) => {
      sent += data.length;
      if (sent < limit) {
        upstream.write(data);
        return;
      }
      // The server gets the beginning of a message, as it may when a cable is pulled.
      upstream.end(data.subarray(0, Math.max(0, data.length - (sent - limit))));
      limit = Number.POSITIVE_INFINITY;
      cuts++;
      for (const socket of open) if (socket !== upstream) socket.destroy();
    });
    upstream.on('data', (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: through.toString(),
    sent: () => sent,
    cutAfter: (bytes) => {
      limit = sent + bytes;
    },
    cuts: () => cuts,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
