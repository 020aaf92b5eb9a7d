import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';

/** What waits on one connection. */
export interface Queue {
  readonly answers: Set<ServerResponse>;
  bytes: number;
}

/** In bytes, of all connections together: some twenty thousand of the shortest requests. */
const mostBytes = 128 * 1024 * 1024;

/** What the shortest request takes with its answer, until that is sent: two hundred times its own length. */
const leastEach = 6_400;

/** What each part of a head takes besides its text. */
const partEach = 48;

/** About what a request takes until it is answered, in bytes. */
function bytesOf({ url, rawHeaders }: Request): number {
  return rawHeaders.reduce((bytes, part) => bytes + partEach + part.length, leastEach + url.length);
}

/**
 * Answers that wait behind others on the connections of a server. Node.js holds back who sends ahead by the length of the
 * answers that wait to be sent, but looks at it only between one part of 64 KiB and the next. Each has two thousand of the
 * shortest requests, which take 12 MiB: strangers who read nothing ended a process with 20 MB over three hundred
 * connections.
 */
export class QueuedAnswers {
  #bytes = 0;

  /**
   * An answer that waits behind another one has no connection yet: Node.js does not tell it when that is gone.
   * @returns whether there is room for it. A connection may have as much as is left for all others: alone it has plenty, and
   * of many each has its share.
   */
  add(socket: Socket, request: Request, response: Response): boolean {
    const queue = queueOf(socket);
    const bytes = bytesOf(request);
    queue.answers.add(response);
    queue.bytes += bytes;
    this.#bytes += bytes;
    response.once('close', () => {
      if (!queue.answers.delete(response)) return;
      queue.bytes -= bytes;
      this.#bytes -= bytes;
    });
    return queue.bytes <= mostBytes - this.#bytes;
  }
}

function queueOf(socket: Socket): Queue {
  if (socket.queued) return socket.queued;
  const queue: Queue = { answers: new Set(), bytes: 0 };
  socket.queued = queue;
  socket.once('close', () => {
    for (const one of queue.answers)
      if (one.socket === null) {
        one.destroy();
        one.emit('close');
      }
  });
  return queue;
}
