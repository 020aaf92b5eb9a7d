import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '../harness/client.ts';

/** A WebSocket to /graphql of a client that says nothing by itself, also where it is seen off. */
export interface SilentSocket {
  readonly connection: Socket;
  /** All that the server has sent, each byte a character. */
  received(): string;
  isOver(): boolean;
  /** Sends a message of at most 125 characters of ASCII. */
  say(text: string): void;
}

/** @param key shown in the head, if any. */
export async function openSilentSocket(url: string, key?: string): Promise<SilentSocket> {
  const connection = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  let received = '';
  connection.setNoDelay().setEncoding('latin1');
  connection.on('data', (text: string) => {
    received += text;
  });
  let isOver = false;
  connection.on('close', () => {
    isOver = true;
  });
  await once(connection, 'connect');
  const head = [
    'GET /graphql HTTP/1.1',
    'Host: x',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    ...(key ? [`Authorization: Bearer ${key}`] : []),
  ];
  connection.write(`${head.join('\r\n')}\r\n\r\n`);
  await eventually(() => received.endsWith('\r\n\r\n'));
  return {
    connection,
    received: () => received,
    isOver: () => isOver,
    say(text) {
      // Under a mask of zeros.
      connection.write(
        Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]),
      );
    },
  };
}
