import type { Client, Options, Request, Result } from 'autocannon';
import autocannon from 'autocannon';

/** The process that drives the servers: takes `Slice`s to drive at the same time and answers with one `Sample`. */

export interface Slice extends Asking {
  readonly url: string;
  /** Asked in turns instead of the URL's own path. */
  readonly turns?: readonly (Asking & { readonly path: string })[];
  readonly connections: number;
  readonly seconds: number;
  /** How many requests are sent, however long that takes. */
  readonly amount?: number;
  /** Bearer keys: connections take turns, each keeps its own. */
  readonly keys: readonly string[];
}

/** What is asked at a path. */
export interface Asking {
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** Whether each request carries an Idempotency-Key of its own. */
  readonly idempotent: boolean;
}

export interface Sample {
  readonly requests: number;
  readonly seconds: number;
  /** Of each request, in milliseconds. */
  readonly latencies: number[];
  /** What went wrong: statuses other than 2xx, connections lost; empty in a good slice. */
  readonly faults: string[];
}

const run = `${process.pid}-${Date.now()}`;
let count = 0;

function withNewKey(request: Request): Request {
  count += 1;
  return { ...request, headers: { ...request.headers, 'idempotency-key': `${run}-${count}` } };
}

function requestOf({ method, body, idempotent }: Asking, key: string | undefined, path?: string): Request {
  return {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(path === undefined ? {} : { path }),
    ...(body === undefined ? {} : { body }),
    ...(idempotent ? { setupRequest: withNewKey } : {}),
  };
}

async function drive(slice: Slice): Promise<Sample> {
  const latencies: number[] = [];
  let opened = 0;
  const started = performance.now();
  const options: Options = {
    url: slice.url,
    connections: slice.connections,
    ...(slice.amount === undefined ? { duration: slice.seconds } : { amount: slice.amount }),
    sampleInt: 50,
    setupClient(client: Client) {
      const key = slice.keys[opened % slice.keys.length];
      opened += 1;
      const { turns } = slice;
      client.setRequests(
        turns ? turns.map((turn) => requestOf(turn, key, turn.path)) : [requestOf(slice, key)],
      );
    },
  };
  const result = await new Promise<Result>((resolve, reject) => {
    const instance = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    instance.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  });
  const faults = Object.entries(result.statusCodeStats ?? {})
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, { count: times }]) => `${status}: ${times} times`);
  if (result.errors > 0) faults.push(`${result.errors} connections failed or timed out`);
  return { requests: latencies.length, seconds: (performance.now() - started) / 1_000, latencies, faults };
}

function together(samples: readonly Sample[]): Sample {
  return {
    requests: samples.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.max(...samples.map(({ seconds }) => seconds)),
    latencies: samples.flatMap(({ latencies }) => latencies),
    faults: samples.flatMap(({ faults }) => faults),
  };
}

process.on('message', (slices: readonly Slice[]) => {
  Promise.all(slices.map(drive)).then(
    (samples) => process.send?.(together(samples)),
    (error) => process.send?.({ requests: 0, seconds: 0, latencies: [], faults: [String(error)] }),
  );
});
