import { createServer } from 'node:http';
import { Pool } from 'undici';

/** Bare POSTs with undici: what sending alone costs, without events, signatures, logs or statistics. */

/** POST / with this as JSON; answers `{ seconds }` once each was answered 2xx. */
export interface Posting {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  count: number;
  connections: number;
}

const pools = new Map<string, Pool>();

async function post({ origin, path, headers, body, count, connections }: Posting): Promise<number> {
  const name = `${origin} ${connections}`;
  const pool = pools.get(name) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(name, pool);
  let left = count;
  const started = performance.now();
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return (performance.now() - started) / 1_000;
}

createServer((request, response) => {
  if (request.method !== 'POST') return response.end('{}');
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  request.on('end', () =>
    post(JSON.parse(text) as Posting).then(
      (seconds) => response.end(JSON.stringify({ seconds })),
      (error) => response.writeHead(500).end(String(error)),
    ),
  );
  return undefined;
}).listen(Number(process.env.PORT), '127.0.0.1');
