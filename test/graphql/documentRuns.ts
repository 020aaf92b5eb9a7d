import type { Json } from '../harness/client.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';

export interface Request {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

/** The ways in which a document can be run at a server. */
export function documentRunsAt(server: () => TestServer) {
  const post = (body: Request, key: string, headers: Record<string, string> = {}) =>
    server().rest('POST', '/graphql', { key, body, headers });

  const overEvents = async (request: Request, key: string): Promise<Json> => {
    const { text, body } = await post(request, key, { accept: 'text/event-stream' });
    return body ?? JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? '');
  };

  const overSocket = async (request: Request, key: string): Promise<Json> => {
    const raw = await connectRawSocket(server().url, key);
    raw.send({ type: 'subscribe', id: '1', payload: request });
    const { type, payload } = await raw.receives(({ id }) => id === '1');
    raw.socket.terminate();
    return type === 'error' ? { errors: payload } : payload;
  };

  const get = async ({ query, variables, operationName }: Request, key: string) => {
    const search = new URLSearchParams({
      query,
      ...(variables ? { variables: JSON.stringify(variables) } : {}),
      ...(operationName ? { operationName } : {}),
    });
    return server().rest('GET', `/graphql?${search}`, {
      key,
      headers: { 'apollo-require-preflight': 'true' },
    });
  };

  /** What comes of a query when it is new and when it is known, in a batch and by GET, over events and WebSockets. */
  async function meaningsOf(request: Request, key: string): Promise<Json[]> {
    const batch = await server().rest('POST', '/graphql', { key, body: [request] });
    const answers = [
      (await post(request, key)).body,
      (await post(request, key)).body,
      batch.body[0],
      (await get(request, key)).body,
      await overEvents(request, key),
      await overSocket(request, key),
    ];
    return answers.map(({ data, errors }) => ({ data, errors }));
  }
  return { post, get, overEvents, overSocket, meaningsOf };
}
