import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as ConnectionServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest that requests in flight are waited for at a stop; the process is gone within 10 s (DESIGN §5). */
export const drainMs = 8_000;

const lookMs = 100;

/** As many as wait to be accepted at most, for Node.js asks for a queue of that length. */
const mostWaiting = 511;

/** Longest that they are accepted: with enough to do a turn takes so long that all of them would take a stop's time. */
const acceptingMs = 1_000;

/** What one turn counts for at most: in a longer one the process stood still, and nobody was accepted. */
const mostOfTurnMs = 500;

/**
 * Accepts who has connected by now, and may have sent a request: closed, the system would reset those that still wait to
 * be accepted. Node.js accepts one in each turn of the event loop.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  // The rest of this turn, in which nobody may be accepted any more.
  await nextTurn();
  let spentMs = 0;
  for (let turns = 0; hasAccepted && turns < mostWaiting && spentMs < acceptingMs; turns += 1) {
    hasAccepted = false;
    const begunMs = performance.now();
    await nextTurn();
    spentMs += Math.min(performance.now() - begunMs, mostOfTurnMs);
  }
  server.off('connection', note);
}

/** Tells the client with an answer that is still to come that it is the last one on its connection. */
function announceEnd(response: ServerResponse | null | undefined): void {
  if (response && !response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Prepares a server for its end.
 * @param open its connections at any time.
 * @returns what stops accepting, waits for the requests in flight, and resolves when every connection is closed.
 */
export function prepareStop(server: Server, open: ReadonlySet<Socket>): () => Promise<void> {
  const closeIdle = () => {
    server.closeIdleConnections();
    // Browsers connect in advance. Node takes a connection that never sent anything for a busy one.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  return async () => {
    // Nobody holds it up for longer, however long the others are accepted.
    const cutAt = performance.now() + drainMs;
    // Before anyone is told: whoever is comes back at once, and is to find nobody.
    await acceptWaiting(server);
    for (const { underWay } of open) announceEnd(underWay);
    server.prependListener('request', (_request, response) => announceEnd(response));
    // That of HTTP would at once close each connection that waits for its next request, which may be on its way. Clients
    // that keep theirs busy learn from an answer until the first look.
    const closed = new Promise<void>((resolve) => {
      ConnectionServer.prototype.close.call(server, () => resolve());
    });
    // Once what came while the process stood still has been read: timers are before that.
    const idle = setInterval(() => setImmediate(closeIdle), lookMs);
    // Those on which something was offered, too: the server itself does not know of them any more.
    const cut = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, cutAt - performance.now());
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
    // For what it has besides connections.
    server.close(() => undefined);
  };
}
