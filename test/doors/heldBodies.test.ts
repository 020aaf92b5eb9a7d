import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { Bank, signatureOf } from '../payments/bank.ts';
import { path as callbacks } from '../payments/bankSteps.ts';

/** As README has them. */
const [mostOfKey, mostOfNetwork, mostOfAll] = [32, 8, 64];

const wholeBody = Buffer.from(JSON.stringify({ query: '{ __typename }', filling: 'x'.repeat(20_000) }));
const shortBody = Buffer.from(JSON.stringify({ query: '{ __typename }' }));

type Body = Buffer | string;
const ofLength = (body: Body) => ({ 'Content-Length': body.length });
const inChunks = () => ({ 'Transfer-Encoding': 'chunked' });
const compressed = (body: Body) => ({ ...ofLength(body), 'Content-Encoding': 'gzip' });

describeOneEngine('Long bodies of one client that come in at once', (engine) => {
  let server: TestServer;
  let begun: Held[] = [];
  beforeAll(async () => {
    const settings = { TRUST_PROXY: 'true' };
    server = await startTestServer(engine, { paymentProvider: new Bank(), settings });
  });
  afterAll(() => server?.close());

  interface Held {
    readonly sent: ClientRequest;
    status: number | null;
  }

  /** Sends a head, which the server has taken when this resolves. */
  async function begin(path: string, headers: Record<string, string | number>): Promise<Held> {
    const sent = request(new URL(path, server.url), {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', Expect: '100-continue', ...headers },
    });
    const held: Held = { sent, status: null };
    begun.push(held);
    sent.on('error', () => undefined);
    sent.on('response', (response) => {
      held.status = response.statusCode ?? 0;
      response.resume();
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    return held;
  }

  const several = async (count: number, make: () => Promise<Held>): Promise<Held[]> => {
    const made: Held[] = [];
    while (made.length < count) made.push(await make());
    return made;
  };

  /** The server has looked at all that came before. */
  async function caughtUp(): Promise<void> {
    for (let times = 0; times < 5; times += 1) await server.rest('GET', '/health/live');
  }

  const isAnswered = ({ status }: Held) => status !== null;

  async function ending(test: () => Promise<void>): Promise<void> {
    try {
      await test();
    } finally {
      for (const { sent } of begun) sent.destroy();
      begun = [];
    }
  }

  it.each([
    ['of a known length', ofLength, wholeBody],
    ['in chunks', inChunks, wholeBody],
    ['compressed, however short that is', compressed, gzipSync(wholeBody)],
  ])('are no more than so many, %s; short ones and those of others do not wait', (_form, framing, longBody) =>
    ending(async () => {
      const { live, test } = await server.createTeam();
      const known = (key: string, body: Body, framed: typeof ofLength | typeof inChunks = framing) =>
        begin('/graphql', { Authorization: `Bearer ${key}`, ...framed(body) });
      const whole = async (key: string, body: Body, framed: typeof ofLength | typeof inChunks = framing) => {
        const held = await known(key, body, framed);
        held.sent.end(body);
        return held;
      };
      expect((await server.graphql('{ __typename }', null, live)).status).toBe(200);
      const held = await several(mostOfKey, () => known(live, longBody));
      for (const { sent } of held) sent.write(longBody.subarray(0, -1));
      const left = await several(mostOfKey, () => known(live, longBody));
      for (const { sent } of left) sent.write(longBody.subarray(0, 50));
      const waiting = await several(2, () => whole(live, longBody));
      for (const other of [await whole(live, shortBody, ofLength), await whole(test, longBody)])
        expect(await eventually(() => other.status)).toBe(200);
      // Nothing is kept of one that says that it is too large.
      const tooLarge = await whole(live, 'x'.repeat(1024 * 1024 + 1), ofLength);
      expect(await eventually(() => tooLarge.status)).toBe(400);
      await caughtUp();
      expect([...left, ...waiting].filter(isAnswered)).toEqual([]);
      for (const { sent } of left) sent.destroy();
      await caughtUp();
      held[0]?.sent.end(longBody.subarray(-1));
      for (const one of waiting) expect(await eventually(() => one.status)).toBe(200);
      // Clients that left, before their turn or in it, have taken nobody's place with them.
      for (const { sent } of held) sent.destroy();
      const next = await several(mostOfKey, () => known(live, longBody));
      for (const { sent } of next) sent.write(longBody.subarray(0, -1));
      // Each while those before it are still coming in: all of them have a place.
      for (const one of next.reverse()) {
        one.sent.end(longBody.subarray(-1));
        expect(await eventually(() => one.status)).toBe(200);
      }
    }),
  );

  it('are no more than so many where the bank may be their sender; short ones do not wait', () =>
    ending(async () => {
      const [short, long] = ['[]', `[${' '.repeat(20_000)}]`];
      const whole = async (body: string) => {
        const held = await begin(callbacks, { 'X-Bank-Signature': signatureOf(body), ...ofLength(body) });
        held.sent.end(body);
        return held;
      };
      const held = await several(mostOfNetwork, () => begin(callbacks, ofLength(long)));
      for (const { sent } of held) sent.write(long.slice(0, -1));
      const waiting = await whole(long);
      const other = await whole(short);
      expect(await eventually(() => other.status)).toBe(200);
      await caughtUp();
      expect(waiting.status).toBeNull();
      held[0]?.sent.end(long.slice(-1));
      expect(await eventually(() => waiting.status)).toBe(200);
      expect(await eventually(() => held[0]?.status)).toBe(401);
    }));

  it('are no more than so many of all networks together where the bank may be their sender', () =>
    ending(async () => {
      const long = `[${' '.repeat(20_000)}]`;
      const signed = { 'X-Bank-Signature': signatureOf(long), ...ofLength(long) };
      let networks = 0;
      const ofAnother = () => {
        networks += 1;
        return begin(callbacks, { ...signed, 'X-Forwarded-For': `10.0.0.${networks}` });
      };
      const held = await several(mostOfAll, ofAnother);
      for (const { sent } of held) sent.write(long.slice(0, -1));
      const waiting = await ofAnother();
      waiting.sent.end(long);
      await caughtUp();
      expect(waiting.status).toBeNull();
      held[0]?.sent.end(long.slice(-1));
      for (const one of [waiting, held[0]]) expect(await eventually(() => one?.status)).toBe(200);
    }));
});
