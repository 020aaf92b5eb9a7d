import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** PostgreSQL's message that ends each answer. */
const readyForQuery = 'Z'.charCodeAt(0);

/** The length of the first message, or null while it is not all there. A type of one byte stands before its length. */
function lengthOfFirst(bytes: Buffer): number | null {
  const length = bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1);
  return bytes.length < length ? null : length;
}

/**
 * Stands between a server and its database, and loses answers: the database has done what it was asked, and the connection
 * ends before anybody hears of it.
 */
export async function startLossyLink(target: URL) {
  const sockets = new Set<Socket>();
  /** Answers until the one that is lost; null while none is to be. */
  let left: number | null = null;
  const isLost = (): boolean => {
    if (left === null) return false;
    left -= 1;
    if (left > 0) return false;
    left = null;
    return true;
  };
  const listener = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    near.pipe(far);
    let received: Buffer = Buffer.alloc(0);
    let answer: Buffer[] = [];
    let isGreeted = false;
    far.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (let length = lengthOfFirst(received); length !== null; length = lengthOfFirst(received)) {
        const isEnd = received[0] === readyForQuery;
        answer.push(received.subarray(0, length));
        received = received.subarray(length);
        // A greeting is a conversation: who waits for the end of it would wait for ever.
        if (isGreeted && !isEnd) continue;
        if (isGreeted && isLost()) {
          far.destroy();
          return;
        }
        near.write(Buffer.concat(answer));
        answer = [];
        isGreeted ||= isEnd;
      }
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Loses the answer that comes at this place from now on. */
    loseAnswer(place: number) {
      left = place;
    },
    /** Loses none any more. @returns whether one was lost. */
    keepAnswers(): boolean {
      const hasLost = left === null;
      left = null;
      return hasLost;
    },
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
