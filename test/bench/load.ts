import type { Client, Options, Request, Result } from 'autocannon';
import autocannon from 'autocannon';

/** The process that drives the servers: takes one `Slice` as a message and answers with a `Sample` each time. */

export interface Slice {
  readonly url: string;
  /** Paths with their query, asked in turns instead of the URL's own. */
  readonly paths?: readonly string[];
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
  /** Bearer keys: connections take turns, each keeps its own. */
  readonly keys: readonly string[];
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

async function drive(slice: Slice): Promise<Sample> {
  const latencies: number[] = [];
  let opened = 0;
  const started = performance.now();
  const options: Options = {
    url: slice.url,
    method: slice.method,
    connections: slice.connections,
    duration: slice.seconds,
    sampleInt: 50,
    ...(slice.body === undefined ? {} : { body: slice.body }),
    requests: [slice.idempotent ? { setupRequest: withNewKey } : {}],
    setupClient(client: Client) {
      const key = slice.keys[opened % slice.keys.length];
      opened += 1;
      const headers = {
        authorization: `Bearer ${key}`,
        ...(slice.body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      if (slice.paths)
        client.setRequests(slice.paths.map((path) => ({ method: slice.method, path, headers })));
      else client.setHeaders(headers);
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

process.on('message', (slice: Slice) => {
  drive(slice).then(
    (sample) => process.send?.(sample),
    (error) => process.send?.({ requests: 0, seconds: 0, latencies: [], faults: [String(error)] }),
  );
});
