import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { Outage } from '../observability/outage.ts';

/**
 * Descriptors that clients leave to the rest of the process: attempts of webhooks and their idle connections
 * (`domain/webhooks/shares.ts`, `infrastructure/webhooks/sender.ts`), PostgreSQL, Redis, suppliers, banks and files.
 */
const kept = 2_000;

/** Connections that clients may have in a process with so many descriptors: where those are few, half of them. */
const mostFor = (descriptors: number): number => Math.max(Math.ceil(descriptors / 2), descriptors - kept);

/** Connections at work that are looked at for each new one. */
const mostLooks = 1_000;

/** Why a connection is cut. */
type Kind = 'idle' | 'unread' | 'incomplete' | 'new';

/**
 * What somebody who showed no key keeps a connection for: an answer of which nothing is taken would keep it for two minutes,
 * and a callback whose body does not come, which may be anybody's until it has come, for half of one.
 */
function kindOfStranger({ hasShownKey, isKnownWebSocket, writableLength, underWay }: Socket): Kind | null {
  if (hasShownKey || isKnownWebSocket) return null;
  if (writableLength > 0) return 'unread';
  return underWay?.takesNoKey && !underWay.req.complete ? 'incomplete' : null;
}

/** Descriptors that this process may have; without end where its system, one that is not Linux, does not say so. */
export function mostDescriptors(): number {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export interface ConnectionsParts {
  descriptors: number;
  log: Log;
  metrics: Metrics;
}

/**
 * The connections of a server's clients, of which there are no more than its process has descriptors for: without one left
 * the system's library closes whoever connects, unheard, and the process opens nothing else. So the connection that has
 * been idle for longest makes room for each one beyond, or, where none is, one of a stranger who leaves an answer unread or a
 * callback incomplete; a new one counts, too, where all others are at work.
 */
export class Connections {
  readonly #most: number;
  readonly #metrics: Metrics;
  readonly #shortage: Outage;
  readonly #refusals: Outage;
  /** Those at work that were looked at last come last. */
  readonly #open = new Set<Socket>();
  /** In the order in which they became idle; whoever has been at work since is among them until it is come upon. */
  readonly #idle = new Set<Socket>();

  constructor({ descriptors, log, metrics }: ConnectionsParts) {
    this.#most = mostFor(descriptors);
    this.#metrics = metrics;
    const fields = { descriptors, most: this.#most };
    this.#shortage = new Outage(log, {
      lost: 'as many connections as the limit of descriptors allows: idle ones and strangers’ make room for new ones',
      back: 'room for connections again',
      fields,
    });
    this.#refusals = new Outage(log, {
      lost: 'as many connections at work as the limit of descriptors allows: new ones are closed',
      back: 'new connections are let in again',
      fields,
      level: 'error',
    });
  }

  get open(): ReadonlySet<Socket> {
    return this.#open;
  }

  /** Knows a server's connections from now on: call it before the server listens. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      // One on which an offered protocol was declined is given to the server again.
      if (this.#open.has(socket)) return;
      this.#open.add(socket);
      this.#idle.add(socket);
      socket.once('close', () => this.#forget(socket));
      if (this.#open.size > this.#most) this.#makeRoom(socket);
    });
  }

  /** All that came on a connection is answered. */
  noteIdle(socket: Socket): void {
    this.#idle.delete(socket);
    if (this.#open.has(socket)) this.#idle.add(socket);
  }

  #makeRoom(newest: Socket): void {
    const idle = this.#takeIdle(newest);
    if (idle) this.#cut(idle, 'idle');
    else if (!this.#cutStranger()) this.#cut(newest, 'new');
  }

  #takeIdle(newest: Socket): Socket | null {
    for (const socket of this.#idle) {
      if (socket === newest) return null;
      this.#idle.delete(socket);
      if (!socket.underWay && !socket.isKnownWebSocket) return socket;
    }
    return null;
  }

  /** @returns whether there was one whose connection makes room. */
  #cutStranger(): boolean {
    let looks = Math.min(mostLooks, this.#open.size);
    for (const socket of this.#open) {
      if (looks === 0) break;
      looks -= 1;
      // Behind those that are still to be looked at. An iterator kept until the next time would keep whoever came since.
      this.#open.delete(socket);
      this.#open.add(socket);
      const kind = kindOfStranger(socket);
      if (!kind) continue;
      this.#cut(socket, kind);
      return true;
    }
    return false;
  }

  #cut(socket: Socket, kind: Kind): void {
    socket.destroy();
    this.#forget(socket);
    this.#metrics.cutConnections.inc({ kind });
    const outage = kind === 'new' ? this.#refusals : this.#shortage;
    outage.begin();
  }

  #forget(socket: Socket): void {
    this.#idle.delete(socket);
    this.#open.delete(socket);
    if (this.#open.size > this.#most / 2) return;
    this.#shortage.end();
    this.#refusals.end();
  }
}
