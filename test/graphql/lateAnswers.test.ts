import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { patientWithRedis, startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { sharedCounts } from '../harness/sharedCounts.ts';
import { longLogOf } from './longLog.ts';

const engine = realEngine();

/** Stands between a server and the Redis that counts its requests, whose answers it can hold back. */
async function startHoldingLink(target: URL) {
  let counts = 0;
  /** Answers from this count on are held back, as long as there are such. */
  let heldFrom = Number.POSITIVE_INFINITY;
  const held: (() => void)[] = [];
  const link = await startServiceLink(target, (near, far) => {
    near.on('data', (bytes: Buffer) => {
      counts += bytes.toString('latin1').match(/\r\nevalsha\r\n/gi)?.length ?? 0;
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (counts < heldFrom) near.write(bytes);
      else held.push(() => near.write(bytes));
    });
  });
  return {
    ...link,
    /** How often Redis was asked to count. */
    counts: () => counts,
    /** Holds back what Redis says from this count on. */
    holdFrom(count: number) {
      heldFrom = count;
    },
    release() {
      heldFrom = Number.POSITIVE_INFINITY;
      for (const tell of held.splice(0)) tell();
    },
  };
}

describe.runIf(engine)('An answer that is late', () => {
  let server: TestServer;
  let link: Awaited<ReturnType<typeof startHoldingLink>>;
  beforeAll(async () => {
    link = await startHoldingLink(new URL(process.env.TEST_REDIS_URL ?? ''));
    server = await startTestServer(engine!, {
      // What is held back is waited for, however long this process takes to go on.
      ...patientWithRedis,
      settings: {
        REDIS_URL: link.url,
        WEBHOOK_REACHABILITY_CHECK: 'false',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      },
    });
    await sharedCounts(server.running);
  });
  afterAll(async () => {
    await server?.close();
    link?.close();
  });

  it('because it is being counted reaches nobody whose client has completed it and uses its id again', async () => {
    const { key, asking } = await longLogOf(server, 'live');
    const { messages, socket, send, receives } = await connectRawSocket(server.url, key);
    const ask = (query: string) => send({ id: 'again', type: 'subscribe', payload: { query } });
    // The operation counts once when it is admitted, and three times more for its answer of four million characters.
    const before = link.counts();
    link.holdFrom(before + 2);
    ask(asking(1));
    await eventually(() => link.counts() === before + 2);
    send({ id: 'again', type: 'complete' });
    ask('{ walletBalance { currency } }');
    await eventually(() => link.counts() === before + 3);
    link.release();
    await eventually(() => link.counts() === before + 5);
    // Whatever the first one had to say is said when somebody who asked after all that is answered.
    send({ id: 'last', type: 'subscribe', payload: { query: '{ walletBalance { balance } }' } });
    await receives(({ id, type }) => id === 'last' && type === 'complete');
    // By the names of what was answered: the first answer would fill a screen a hundred times.
    const told = messages.filter(({ id }) => id === 'again');
    expect(told.map(({ type, payload }) => [type, Object.keys(payload?.data ?? {})])).toEqual([
      ['next', ['walletBalance']],
      ['complete', []],
    ]);
    socket.terminate();
  });
});
