import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { bodyLimitBytes } from '../../src/infrastructure/http/body.ts';
import { heartbeatMs } from './heartbeat.ts';

/** Bytes that may wait for a client before nothing more is read from it: who asks without reading holds up only itself. */
const unreadLimitBytes = bodyLimitBytes;

/** Bytes between two heartbeats that the slowest link carries: what went before a ping has that much time. */
const slowestBytes = 64 * 1_024 * (heartbeatMs / 1_000);

/** Bytes that systems and proxies may hold on the way to a client, which nothing tells of. */
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
 * @returns what reads on, to be called when that may have changed.
 */
export function watchFlow(socket: WebSocket, connection: Socket, isBusy: () => boolean): { goOn(): void } {
  /** Bytes that the client may have to take before it sees the ping that it owes an answer; null if it owes none. */
  let ahead: number | null = null;
  let isFull = false;
  const pause = () => {
    socket.pause();
    // Answers to pings are not read meanwhile.
    if (ahead !== null) ahead = heldBytes;
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
  const awaitRoom = () => {
    ahead = heldBytes;
    // It leaves once all that waits now has left, and by then as much may wait again.
    socket.ping('', false, (error?: Error | null) => {
      if (!error && socket.bufferedAmount > unreadLimitBytes) return awaitRoom();
      isFull = false;
      goOn();
    });
  };
  socket.on('message', holdBack).on('ping', holdBack);
  socket.on('pong', () => {
    ahead = null;
  });
  /** Whether the client has taken all answers, and its own to the ping waits behind what it has asked for. */
  const waitsForUs = () => isBusy() && socket.bufferedAmount === 0;
  let before = writingOf(connection);
  let sentBefore = 0;
  const heartbeat = setInterval(() => {
    const now = writingOf(connection);
    // Where something waits, the system takes more only when the client's side has taken some.
    const hasTaken = before.writeQueueSize > 0 && takenOf(now) > takenOf(before);
    before = now;
    if (ahead === null) {
      ahead = socket.isPaused ? heldBytes : Math.min(now.bytesWritten - sentBefore, heldBytes);
      sentBefore = now.bytesWritten;
      socket.ping();
    } else if (hasTaken || waitsForUs()) ahead = heldBytes;
    else if (ahead > slowestBytes) ahead -= slowestBytes;
    else socket.terminate();
  }, heartbeatMs);
  socket.once('close', () => clearInterval(heartbeat));
  return { goOn };
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
