import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
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

  /** A socket on which as many subscriptions have begun, with their numbers as ids. */
  async function stage() {
    const team = await server.createTeam();
    const raw = await connectRawSocket(server.url, team.test);
    onTestFinished(async () => {
      raw.socket.terminate();
      await openSubscriptions(0);
    });
    for (let index = 0; index < asked; index += 1) {
      raw.send({ id: String(index), type: 'subscribe', payload: { query: documentOf(index) } });
      // Reading so many documents takes a while.
      if ((index + 1) % 100 === 0) await openSubscriptions(index + 1);
    }
    return {
      ...team,
      key: team.test,
      ...raw,
      told: () => raw.messages.filter(({ type }) => type === 'next'),
    };
  }

  const openSubscriptions = (count: number) =>
    eventually(async () => (await sampleOf(server.url, 'embarque_subscribers')) === count);

  it('are told of an event in turns of the process, between which it does what else is asked of it', async () => {
    const { key, teamId, messages, socket, send, receives, told } = await stage();
    const { secret } = await server.createKey({ kind: 'test', teamId });
    const other = await connectRawSocket(server.url, secret);
    onTestFinished(() => other.socket.terminate());
    other.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { walletEvents { type } }' } });
    await openSubscriptions(asked + 1);
    let toldBefore = asked;
    other.socket.once('message', () => {
      toldBefore = told().length;
    });
    const { length: before } = messages;
    socket.once('message', () => send({ type: 'ping' }));
    await requestRecharge(server, key);
    await eventually(() => told().length === asked);
    await receives(({ type }) => type === 'pong');
    // Everything leaves on the one connection in the order in which it was done.
    const answered = messages.slice(before).findIndex(({ type }) => type === 'pong');
    expect(answered).toBeLessThan(asked);
    expect(new Set(told().map(({ id }) => id)).size).toBe(asked);
    // Another key has turns of its own.
    expect(toldBefore).toBeLessThan(asked / 2);
  });

  it('are not told of an event under an id that is another operation’s by their turn', async () => {
    const { key, messages, socket, send, receives, told } = await stage();
    const [again, later] = [asked - 100, asked - 99].map(String);
    socket.once('message', () => {
      send({ id: again, type: 'complete' });
      send({ id: again, type: 'subscribe', payload: { query: '{ walletBalance { currency } }' } });
      send({ type: 'ping' });
    });
    await requestRecharge(server, key);
    // Each but the one that was completed, and the answer.
    await eventually(() => new Set(told().map(({ id }) => id)).size === asked);
    await receives(({ id, type }) => id === again && type === 'complete');
    // All of it was said before their turn came, of which the next one had its own after theirs.
    const isSaid = messages.findIndex(({ type }) => type === 'pong');
    expect(isSaid).toBeGreaterThan(0);
    expect(isSaid).toBeLessThan(messages.findIndex(({ id }) => id === later));
    expect(
      messages
        .filter(({ id }) => id === again)
        .map(({ type, payload }) => [type, Object.keys(payload?.data ?? {})]),
    ).toEqual([
      ['next', ['walletBalance']],
      ['complete', []],
    ]);
  });
});
