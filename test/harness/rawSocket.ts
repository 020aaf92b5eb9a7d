import { WebSocket } from 'ws';
import type { Json } from './client.ts';
import { eventually } from './client.ts';

/** A WebSocket to /graphql with which a test says what no client library would. */
export interface RawSocket {
  readonly socket: WebSocket;
  /** Messages of the protocol so far. */
  readonly messages: Json[];
  send(message: unknown): void;
  /** Resolves with the first message that `matches`. */
  receives(matches: (message: Json) => boolean): Promise<Json>;
  /** Resolves when whatever the server says before it takes its next message has come. */
  caughtUp(): Promise<void>;
  /** Resolves with the close code and reason. */
  closed(): Promise<{ code: number; reason: string }>;
}

export interface RawSocketOptions {
  path?: string;
  headers?: Record<string, string>;
  protocol?: string;
  /** Whether pings are answered by themselves: they are unless said. */
  autoPong?: boolean;
}

export async function openRawSocket(url: string, options: RawSocketOptions = {}): Promise<RawSocket> {
  const { path = '/graphql', headers = {}, protocol = 'graphql-transport-ws', autoPong = true } = options;
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, protocol, { headers, autoPong });
  const messages: Json[] = [];
  let close: { code: number; reason: string } | null = null;
  let failure: Error | null = null;
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    close = { code, reason: String(reason) };
  });
  socket.on('error', (error) => {
    failure = error;
  });
  await eventually(() => {
    if (failure && socket.readyState !== WebSocket.OPEN) throw failure;
    return socket.readyState !== WebSocket.CONNECTING;
  });
  const send = (message: unknown) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  const pongs = () => messages.filter(({ type }) => type === 'pong').length;
  return {
    socket,
    messages,
    send,
    receives: (matches) => eventually(() => messages.find(matches)),
    async caughtUp() {
      const before = pongs();
      send({ type: 'ping' });
      await eventually(() => pongs() > before);
    },
    closed: () => eventually(() => close, 15_000),
  };
}

/** A socket over which operations can be asked for. */
export async function connectRawSocket(
  url: string,
  key: string,
  options: RawSocketOptions = {},
): Promise<RawSocket> {
  const raw = await openRawSocket(url, options);
  raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } });
  await raw.receives(({ type }) => type === 'connection_ack');
  return raw;
}
