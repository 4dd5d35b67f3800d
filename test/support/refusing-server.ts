/**
 * A server that speaks just enough of PostgreSQL's protocol to refuse: at the door, or every statement. For errors that
 * PGlite cannot give, because it knows no passwords, timeouts or full disks.
 */
import { createServer, type Socket } from 'node:net';

export interface Refusal {
  /** SQLSTATE, as in the manual's appendix A. */
  readonly code: string;
  readonly message: string;
  /** `door`: instead of letting anybody in; `query`: in answer to every statement. */
  readonly at: 'door' | 'query';
}

export interface RefusingServer {
  readonly url: string;
  /** Connections so far. */
  connections(): number;
  stop(): Promise<void>;
}

const SSL_REQUEST = 80877103;

export async function startRefusingServer(refusal: Refusal): Promise<RefusingServer> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    let inside = false;
    let refused = false;
    socket.on('data', (data) => {
      if (!inside && data.length === 8 && data.readInt32BE(4) === SSL_REQUEST) {
        socket.write('N');
        return;
      }
      // What a refused client still says is its goodbye.
      if (refused) return;
      if (!inside) {
        connections++;
        if (refusal.at === 'door') {
          refused = true;
          socket.end(errorResponse(refusal));
          return;
        }
        inside = true;
        socket.write(Buffer.concat([message('R', int32(0)), READY]));
        return;
      }
      // A client says X when it leaves.
      if (data[0] === 'X'.charCodeAt(0)) socket.end();
      else socket.write(Buffer.concat([errorResponse(refusal), READY]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `postgres://somebody:hunter2-password@127.0.0.1:${port}/knowledge?sslmode=disable`,
    connections: () => connections,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

const READY = message('Z', Buffer.from('I'));

function errorResponse({ code, message: text }: Refusal): Buffer {
  return message('E', Buffer.from(`SERROR\0VERROR\0C${code}\0M${text}\0\0`));
}
