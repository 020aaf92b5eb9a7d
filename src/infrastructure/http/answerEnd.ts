import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** `OutgoingMessage._send` of Node.js, which its types do not have: hands a piece of an answer to the connection. */
export type Send = (
  data: string | Uint8Array,
  encoding: BufferEncoding | null,
  written: (() => void) | null,
  bytes?: number,
) => boolean;

/**
 * Whether this Node.js sends an empty text behind a body that comes with an answer's end, to hear of that when all is written,
 * as 20 does and 24 does not: two pieces take a longer way to the system than one.
 */
export const sendsEndApart = ((): boolean => {
  const sent: unknown[] = [];
  class Probe extends ServerResponse {
    _send(data: unknown): boolean {
      sent.push(data);
      return true;
    }
  }
  new Probe(new IncomingMessage(new Socket())).end('body');
  return sent.length === 2 && sent[1] === '';
})();
