import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { bodyLimitBytes } from '../../src/infrastructure/http/body.ts';
import { heartbeatMs } from './heartbeat.ts';

/** Bytes that may wait for a client before nothing more is read from it: who asks without reading holds up only itself. */
const unreadLimitBytes = bodyLimitBytes;

/** Bytes between two heartbeats that the slowest link carries: what went before a ping has that much time. */
const slowestBytes = 64 * 1_024 * (heartbeatMs / 1_000);

/** As many go by on that link while a ping and its answer are on their way. */
const roundTripBytes = 64 * 1_024;

/** Bytes that systems and proxies may hold on the way to a client before they take more, which nothing tells of. */
const heldBytes = 4 * 1_024 * 1_024;

/** Bytes that a connection brings before its key is known: no more than a few messages of those who show one. */
const strangerBytes = 64 * 1_024;

/** What Node.js knows of a connection's writes that are under way: by itself it tells only of those that are done. */
interface Writing {
  /** Bytes of all writes that have begun. */
  readonly bytesWritten: number;
  /** Those of them that the system has not taken yet. */
  readonly writeQueueSize: number;
}

/**
 * Keeps what waits for the client of a WebSocket, and what waits of it, within bounds, and cuts the connection of one that
 * is gone.
 * @param isBusy whether enough waits of what the client has asked for.
 * @returns what reads on, and what reads no more, each to be called when that may have changed.
 */
export function watchFlow(
  socket: WebSocket,
  connection: Socket,
  isBusy: () => boolean,
): { goOn(): void; holdBack(): void } {
  /** Bytes that the client may have to take before it sees the ping that it owes an answer; null if it owes none. */
  let ahead: number | null = null;
  /** Bytes that the client has certainly taken: those before a ping that it has answered. */
  let received = 0;
  /** Bytes that went before the latest ping. */
  let pinged = 0;
  let isFull = false;
  const pause = () => {
    socket.pause();
    // Answers to pings are not read meanwhile.
    if (ahead !== null) ahead = Math.max(ahead, heldBytes);
  };
  const goOn = () => {
    if (socket.isPaused && !isFull && !isBusy()) socket.resume();
  };
  const holdBack = () => {
    if (isBusy() && !socket.isPaused) pause();
    if (isFull || socket.bufferedAmount <= unreadLimitBytes) return;
    isFull = true;
    pause();
    awaitRoom();
  };
  /** Bytes that the system has taken, and the client may not have. */
  const untold = (now: Writing) => takenOf(now) - received;
  /** Sends a ping that says how many bytes went before it, as its answer will. */
  const ping = (onSent?: (error?: Error | null) => void) => {
    pinged = writingOf(connection).bytesWritten;
    socket.ping(String(pinged), false, onSent);
  };
  const awaitRoom = () => {
    ahead = Math.max(ahead ?? 0, heldBytes);
    // It leaves once all that waits now has left, and by then as much may wait again.
    ping((error) => {
      if (!error && socket.bufferedAmount > unreadLimitBytes) return awaitRoom();
      isFull = false;
      if (ahead !== null) ahead = Math.max(ahead, untold(writingOf(connection)));
      goOn();
    });
  };
  socket.on('message', holdBack).on('ping', holdBack);
  socket.on('pong', (before: Buffer) => {
    ahead = null;
    // Some libraries answer without what the ping said.
    received = Math.max(received, before.length > 0 ? Number(before) || 0 : pinged);
  });
  /** Bytes that the client may have to take before it sees a ping that is sent now. */
  const onTheWay = (now: Writing) => {
    // It is seen when the system takes of what waits.
    const sent = now.writeQueueSize > 0 ? 0 : untold(now);
    return Math.max(sent, now.writeQueueSize > 0 || socket.isPaused ? heldBytes : 0) + roundTripBytes;
  };
  /** Whether the client has taken all answers, and its own to the ping waits behind what it has asked for. */
  const waitsForUs = () => isBusy() && socket.bufferedAmount === 0;
  let before = writingOf(connection);
  const heartbeat = setInterval(() => {
    const now = writingOf(connection);
    // Where something waits, the system takes more only when the client's side has taken some.
    const hasTaken = before.writeQueueSize > 0 && takenOf(now) > takenOf(before);
    before = now;
    if (ahead === null) {
      ahead = onTheWay(now);
      ping();
    } else if (hasTaken || waitsForUs()) ahead = onTheWay(now);
    else if (ahead > slowestBytes) ahead -= slowestBytes;
    else socket.terminate();
  }, heartbeatMs);
  socket.once('close', () => clearInterval(heartbeat));
  return { goOn, holdBack };
}

/** Cuts the connection of a WebSocket that brings more, in messages or not, than it takes to show a key. */
export function watchStranger(socket: WebSocket, connection: Socket, isKnown: () => boolean): void {
  let left = strangerBytes;
  const count = ({ length }: Buffer) => {
    if (isKnown() || socket.readyState !== socket.OPEN) return void connection.off('data', count);
    left -= length;
    if (left < 0) socket.terminate();
  };
  connection.on('data', count);
}

const takenOf = ({ bytesWritten, writeQueueSize }: Writing): number => bytesWritten - writeQueueSize;

function writingOf(connection: Socket): Writing {
  const { _handle } = connection as unknown as { _handle: Writing | null };
  const { bytesWritten = 0, writeQueueSize = 0 } = _handle ?? {};
  return { bytesWritten, writeQueueSize };
}
