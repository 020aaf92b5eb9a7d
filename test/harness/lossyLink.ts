import { startServiceLink } from './serviceLink.ts';

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
  /** Answers until the one that is lost; null while none is to be. */
  let left: number | null = null;
  const isLost = (): boolean => {
    if (left === null) return false;
    left -= 1;
    if (left > 0) return false;
    left = null;
    return true;
  };
  /** The statement whose next answer is lost. */
  let lostStatement: string | null = null;
  const link = await startServiceLink(target, (near, far) => {
    let isAsked = false;
    near.on('data', (bytes: Buffer) => {
      if (lostStatement !== null && bytes.includes(lostStatement)) {
        lostStatement = null;
        isAsked = true;
      }
      far.write(bytes);
    });
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
        if (isGreeted && (isAsked || isLost())) {
          far.destroy();
          return;
        }
        near.write(Buffer.concat(answer));
        answer = [];
        isGreeted ||= isEnd;
      }
    });
  });
  return {
    ...link,
    /** Loses the answer that comes at this place from now on. */
    loseAnswer(place: number) {
      left = place;
    },
    /** Loses the answer to the next statement of this name. */
    loseAnswerTo(name: string) {
      lostStatement = name;
    },
    /** Loses none any more. @returns whether one was lost. */
    keepAnswers(): boolean {
      const hasLost = left === null;
      left = null;
      return hasLost;
    },
  };
}
