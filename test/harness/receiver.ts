import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { type KeyPair, testCertificates } from './certificates.ts';
import { rememberSecrets } from './keyUpdates.ts';

/** One request as it stood on the wire. */
export interface ReceivedRequest {
  method: string;
  path: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Buffer;
  /** Counts connections from 1: requests with the same number came over the same one. */
  connection: number;
}

/** Answers, or does not, by writing to the socket as it likes. Called once for each whole request. */
export type Behaviour = (request: ReceivedRequest, socket: TLSSocket) => void;

export interface Receiver {
  port: number;
  /** https://localhost with this receiver's port, unless another host is given. */
  url(path?: string, host?: string): string;
  /** Every request that reached the wire, in order. */
  requests: ReceivedRequest[];
  /** TCP connections accepted so far, whatever became of them. */
  connections: number;
  /** Bytes handed to TCP so far, TLS included, over connections that are closed. */
  bytesSent: number;
  /** TCP connections open now. */
  openSockets(): number;
  /** Takes effect with the next request. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** Which TLS a receiver speaks. */
export type Agreement = Pick<
  TlsOptions,
  'maxVersion' | 'ciphers' | 'dhparam' | 'ecdhCurve' | 'requestCert' | 'rejectUnauthorized'
>;

export interface ReceiverOptions {
  certificate?: KeyPair;
  host?: string;
  agreement?: Agreement;
  /** Is handed each TCP connection as soon as TLS stands. */
  onConnection?: (socket: TLSSocket) => void;
}

/**
 * A TLS server on loopback that speaks no HTTP but what `behaviour` writes, so that it can misbehave in ways that
 * an HTTP server will not.
 */
export async function startReceiver(behaviour: Behaviour, options: ReceiverOptions = {}): Promise<Receiver> {
  const certificate = options.certificate ?? (await testCertificates()).valid;
  const host = options.host ?? '127.0.0.1';
  const sockets = new Set<{ destroy(): void }>();
  const numbers = new Map<number, number>();
  let current = behaviour;
  const server = createServer({ cert: certificate.cert, key: certificate.key, ...options.agreement });
  rememberSecrets(server);
  server.on('connection', (socket) => {
    receiver.connections += 1;
    numbers.set(socket.remotePort!, receiver.connections);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      receiver.bytesSent += socket.bytesWritten;
    });
  });
  server.on('secureConnection', (socket) => {
    const connection = numbers.get(socket.remotePort!)!;
    socket.on('error', () => {});
    options.onConnection?.(socket);
    readRequests(socket, (request) => {
      const received = { ...request, connection };
      receiver.requests.push(received);
      current(received, socket);
    });
  });
  // What a client thinks of our certificate is for the client to say.
  server.on('tlsClientError', () => {});
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: (path = '/hook', name = 'localhost') => `https://${name}:${port}${path}`,
    requests: [],
    connections: 0,
    bytesSent: 0,
    openSockets: () => sockets.size,
    behave(next) {
      current = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

function readRequests(
  socket: TLSSocket,
  onRequest: (request: Omit<ReceivedRequest, 'connection'>) => void,
): void {
  let pending = Buffer.alloc(0);
  let pieces: Buffer[] = [];
  let missing = 0;
  socket.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    missing -= chunk.length;
    // A large body is put together once: for each of its pieces that would take seconds of a busy machine.
    if (missing > 0) return;
    pending = Buffer.concat([pending, ...pieces]);
    pieces = [];
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const [requestLine, ...lines] = pending.toString('latin1', 0, headEnd).split('\r\n');
      const headers = headersOf(lines);
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
      missing = bodyEnd - pending.length;
      if (missing > 0) return;
      const [method, path] = requestLine!.split(' ');
      const body = pending.subarray(headEnd + 4, bodyEnd);
      pending = pending.subarray(bodyEnd);
      onRequest({ method: method!, path: path!, headers, body });
    }
  });
}

/** One that is there twice has both values, as receivers understand it (RFC 9110 §5.3). */
function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** An ordinary answer with a body of known length, on a connection that stays open. */
export function answer(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  const lines = Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers });
  const head = `HTTP/1.1 ${status} Status\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return (_request, socket) => socket.write(head + body);
}
