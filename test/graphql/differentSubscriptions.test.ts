import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** Enough to keep a process busy for a tenth of a second with one event, and within what one key may have open. */
const asked = 1_500;

/** As many aliases as a document may have: long work for a short answer. */
const documentOf = (index: number) => {
  const data = Array.from({ length: 29 }, (_, place) => `a${index}x${place}: data { previousAttributes }`);
  return `subscription { walletEvents { id ${data.join(' ')} } }`;
};

describeOneEngine('Subscriptions of one key that all ask for something else', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  it('are told of an event in turns of the process, between which it does what else is asked of it', async () => {
    const team = await server.createTeam();
    const raw = await connectRawSocket(server.url, team.test);
    onTestFinished(() => raw.socket.terminate());
    for (let index = 0; index < asked; index += 1)
      raw.send({ id: String(index), type: 'subscribe', payload: { query: documentOf(index) } });
    await eventually(async () => {
      const { text } = await server.rest('GET', '/metrics');
      return text.includes(`\nembarque_subscribers ${asked}\n`);
    });
    const told = () => raw.messages.filter(({ type }) => type === 'next');
    const { length: before } = raw.messages;
    raw.socket.once('message', () => raw.send({ type: 'ping' }));
    await requestRecharge(server, team.test);
    await eventually(() => told().length === asked);
    await raw.receives(({ type }) => type === 'pong');
    // Everything leaves on the one connection in the order in which it was done.
    const answered = raw.messages.slice(before).findIndex(({ type }) => type === 'pong');
    expect(answered).toBeLessThan(asked);
    expect(new Set(told().map(({ id }) => id)).size).toBe(asked);
  });
});
