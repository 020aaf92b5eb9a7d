import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Json } from './client.ts';
import { eventually } from './client.ts';

/** Clients of subscriptions: the same for both transports, made of the protocols' own client libraries. */

const eventFields = '{ id type apiVersion createdAt teamId data { object previousAttributes } }';

export const walletEvents = `subscription WalletEvents($types: [EventType!], $after: String) {
  walletEvents(types: $types, after: $after) ${eventFields}
}`;

/** The other subscriptions, whose results have the same shape. */
export const allEvents = `subscription Events($types: [EventType!], $after: String) {
  events(types: $types, after: $after) ${eventFields}
}`;

export const subjectEvents = (field: 'rechargeUpdated' | 'bookingUpdated') =>
  `subscription Updates($id: String!, $after: String) { ${field}(id: $id, after: $after) ${eventFields} }`;

export interface Request {
  key: string | null;
  query?: string;
  variables?: Record<string, unknown>;
}

/** One running subscription, and everything that it has seen. */
export interface Subscriber {
  /** Results in the order in which they came. */
  readonly results: Json[];
  /** Events of the results. */
  readonly events: Json[];
  /** `complete`, or what the server or the connection ended it with; null while it runs. */
  readonly end: Json | null;
  /** Resolves once there are that many events. */
  sees(count: number): Promise<Json[]>;
  /** Resolves with what ended it. */
  ended(timeoutMs?: number): Promise<Json>;
  /** Drops the connection without a word. */
  cut(): void;
}

export interface Transport {
  readonly name: string;
  subscribe(url: string, request: Request): Subscriber;
}

interface Recording extends Subscriber {
  end: Json | null;
  sink: { next(result: Json): void; error(error: unknown): void; complete(): void };
}

function recording(cut: () => void): Recording {
  const results: Json[] = [];
  const subscriber: Recording = {
    results,
    get events() {
      return results.flatMap((result) => Object.values(result.data ?? {}));
    },
    end: null,
    sees: (count) =>
      eventually(() => {
        if (subscriber.end !== null) throw new Error(`ended early: ${JSON.stringify(subscriber.end)}`);
        return results.length >= count && subscriber.events.length >= count && subscriber.events;
      }),
    ended: (timeoutMs) => eventually(() => subscriber.end, timeoutMs),
    cut,
    sink: {
      next: (result) => void results.push(result),
      error: (error) => {
        subscriber.end ??= error;
      },
      complete: () => {
        subscriber.end ??= 'complete';
      },
    },
  };
  return subscriber;
}

/** A WebSocket that can be torn at any moment, the one before it is open included. */
function severable(): { Socket: typeof WebSocket; sever(): void } {
  let socket: WebSocket | null = null;
  let severed = false;
  class Socket extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      this.on('error', () => undefined);
      socket = this;
      if (severed) setImmediate(() => this.terminate());
    }
  }
  return {
    Socket: Socket as typeof WebSocket,
    sever() {
      severed = true;
      socket?.terminate();
    },
  };
}

const overWebSocket: Transport = {
  name: 'graphql-ws',
  subscribe(url, { key, query = walletEvents, variables = {} }) {
    const connection = severable();
    const client = createSocketClient({
      url: `${url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: connection.Socket,
      connectionParams: key === null ? {} : { Authorization: `Bearer ${key}` },
      retryAttempts: 0,
    });
    const subscriber = recording(connection.sever);
    client.subscribe({ query, variables }, subscriber.sink);
    return subscriber;
  },
};

const overEventStream: Transport = {
  name: 'graphql-sse',
  subscribe(url, { key, query = walletEvents, variables = {} }) {
    const client = createStreamClient({
      url: `${url}/graphql`,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      retryAttempts: 0,
    });
    const subscriber = recording(() => client.dispose());
    client.subscribe({ query, variables }, subscriber.sink as never);
    return subscriber;
  },
};

export const transports: readonly [Transport, Transport] = [overWebSocket, overEventStream];

/** What a request to /graphql asks with for its results as events. */
export const eventStream = { accept: 'text/event-stream' };

/** What a stream of events tells, once it is over. */
export function streamedResults(text: string): Json[] {
  return [...text.matchAll(/^event: next\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

/** The refusal that answers a subscription: in its first result, in what ended it, or in the response instead. */
export async function firstRefusal(subscriber: Subscriber): Promise<Json> {
  const ending = await subscriber.ended();
  const answer = subscriber.results[0] ?? (await ending.response?.json());
  const [error] = answer?.errors ?? ending;
  const { code, details } = error.extensions;
  return { message: error.message, code, ...(details?.field ? { field: details.field } : {}) };
}

/** Resolves when nothing more comes out of the server: what it sends and what it reads for that has come to rest. */
export async function atRest(received: () => number): Promise<void> {
  let last = -1;
  let still = 0;
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    still = received() === last ? still + 1 : 0;
    last = received();
    return still > 20;
  });
}
