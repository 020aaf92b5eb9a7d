import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { Bank, patientWithBank } from '../payments/bank.ts';

const atOnce = 64;
const inAll = atOnce + 16;
const recharge = 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }';
const balance = '{ walletBalance { balance } }';

const request = (id: number, query: string) => ({ type: 'subscribe', id: String(id), payload: { query } });

const answered = (messages: readonly Json[]) => messages.filter(({ type }) => type === 'complete').length;

interface ManyAsked {
  readonly teamId: string;
  readonly live: string;
  readonly asking: Awaited<ReturnType<typeof connectRawSocket>>;
  /** How many charges were asked for. */
  asked(): number;
  /** Lets them be made. */
  tell(): void;
}

describeOneEngine(
  'Operations that are asked for over a WebSocket without waiting for the answers',
  (engine) => {
    const bank = new Bank();
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine, { settings: patientWithBank, paymentProvider: bank });
    });
    afterAll(() => server?.close());

    /** Asks on one WebSocket for more recharges than may be under way, the charges of which are held up, and ends it. */
    async function withManyAsked(work: (asked: ManyAsked) => Promise<void>): Promise<void> {
      const { teamId, live } = await server.createTeam();
      const asking = await connectRawSocket(server.url, live);
      const { asked, tell } = bank.holdCharges();
      try {
        for (let id = 0; id < inAll; id += 1) asking.send(request(id, recharge));
        await eventually(() => asked() === atOnce);
        await asking.caughtUp();
        await work({ teamId, live, asking, asked, tell });
      } finally {
        tell();
        bank.reset();
        asking.socket.terminate();
      }
    }

    it('are begun as others are answered, and are all answered', () =>
      withManyAsked(async ({ asking, asked, tell }) => {
        // It is heard while they wait.
        for (let times = 0; times < 5; times += 1) await asking.caughtUp();
        expect([asked(), answered(asking.messages)]).toEqual([atOnce, 0]);
        tell();
        await eventually(() => answered(asking.messages) === inAll);
        const created = asking.messages.flatMap(({ payload }) => payload?.data?.createRecharge.id ?? []);
        expect(new Set(created).size).toBe(inAll);
      }));

    it('are not read while many wait, which no heartbeat takes for a client that is gone', async () => {
      const { live } = await server.createTeam();
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const asking = await connectRawSocket(server.url, live);
      const { asked, tell } = bank.holdCharges();
      try {
        const filled = `${balance} #${'x'.repeat(100_000)}`;
        for (let id = 0; id < atOnce; id += 1) asking.send(request(id, recharge));
        for (let id = atOnce; id < inAll; id += 1) asking.send(request(id, filled));
        asking.send({ type: 'ping' });
        await eventually(() => asked() === atOnce);
        for (let beat = 0; beat < 20; beat += 1) {
          await vi.advanceTimersByTimeAsync(12_000);
          await server.rest('GET', '/health/live');
        }
        expect(asking.messages.filter(({ type }) => type === 'pong')).toEqual([]);
        tell();
        await eventually(() => answered(asking.messages) === inAll);
        await asking.receives(({ type }) => type === 'pong');
      } finally {
        tell();
        bank.reset();
        vi.useRealTimers();
        asking.socket.terminate();
      }
    });

    it('are not read, either, while what was said of those that wait is long', () =>
      withManyAsked(async ({ asking, tell }) => {
        const pongs = asking.messages.filter(({ type }) => type === 'pong').length;
        for (let id = atOnce; id < inAll; id += 1)
          asking.send({ type: 'complete', id: String(id), filling: 'x'.repeat(100_000) });
        asking.send({ type: 'ping' });
        for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
        const heard = () => asking.messages.filter(({ type }) => type === 'pong').length - pongs;
        expect(heard()).toBe(0);
        tell();
        await eventually(() => answered(asking.messages) === atOnce && heard() === 1);
      }));

    it('are refused where one has the id of another that still waits', async () => {
      const { socket, send, closed } = await connectRawSocket(server.url, server.keys.test);
      try {
        for (const id of [1, 2, 3, 4, 5, 6, 6]) send(request(id, balance));
        expect(await closed()).toEqual({ code: 4409, reason: 'Subscriber for 6 already exists' });
      } finally {
        socket.terminate();
      }
    });

    it('are not begun any more once the server stops, and those that have begun are answered', () =>
      withManyAsked(async ({ teamId, live, asking, tell }) => {
        const idle = await connectRawSocket(server.url, live);
        const restarted = server.restart();
        expect((await idle.closed()).code).toBe(1001);
        tell();
        expect(await asking.closed()).toEqual({ code: 1001, reason: 'Going away' });
        await restarted;
        expect(answered(asking.messages)).toBe(atOnce);
        const written = await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId]);
        expect(written).toHaveLength(atOnce);
      }));

    it('are read on once the server stops, however much had to wait: nothing does any more', () =>
      withManyAsked(async ({ live, asking, tell }) => {
        const idle = await connectRawSocket(server.url, live);
        const pongs = () => asking.messages.filter(({ type }) => type === 'pong').length;
        const before = pongs();
        for (let id = inAll; id < inAll + 4; id += 1)
          asking.send(request(id, `${balance} #${'x'.repeat(100_000)}`));
        asking.send({ type: 'ping' });
        for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
        expect(pongs()).toBe(before);
        const restarted = server.restart();
        expect((await idle.closed()).code).toBe(1001);
        await eventually(() => pongs() > before);
        tell();
        expect(await asking.closed()).toEqual({ code: 1001, reason: 'Going away' });
        await restarted;
        expect(answered(asking.messages)).toBe(atOnce);
      }));

    it('are not begun any more once their client is seen off, however long it stays', () =>
      withManyAsked(async ({ teamId, asking, asked, tell }) => {
        // It does not see that it is seen off.
        asking.socket.pause();
        await new Promise<void>((resolve) => asking.socket.send('{}', () => resolve()));
        // What came before these has been read by then.
        for (let times = 0; times < 3; times += 1) await server.rest('GET', '/health/live');
        tell();
        const created = 'SELECT id FROM recharges WHERE team_id = $1';
        await eventually(async () => (await server.query(created, [teamId])).length >= atOnce);
        asking.socket.resume();
        expect((await asking.closed()).code).toBe(4400);
        expect(asked()).toBe(atOnce);
      }));

    it('are not begun any more once their client has left, and no subscription outlives it', () =>
      withManyAsked(async ({ teamId, asking, asked, tell }) => {
        asking.send(request(inAll, 'subscription { walletEvents { id } }'));
        await asking.caughtUp();
        asking.socket.terminate();
        // It is known to be gone by then.
        for (let times = 0; times < 3; times += 1) await server.rest('GET', '/health/live');
        tell();
        const created = 'SELECT id FROM recharges WHERE team_id = $1';
        await eventually(async () => (await server.query(created, [teamId])).length >= atOnce);
        // What waits would be begun with the answers to those.
        for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
        expect(asked()).toBe(atOnce);
        expect(await sampleOf(server.url, 'embarque_subscribers')).toBe(0);
      }));

    it('are not begun for who was seen off before they were read', async () => {
      const { teamId, live } = await server.createTeam();
      const asking = await connectRawSocket(server.url, live);
      asking.send({});
      asking.send(request(1, recharge));
      expect(await asking.closed()).toEqual({ code: 4400, reason: 'Invalid message received' });
      const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
      const created: string[] = [];
      // Each takes as many steps as the one that is not to be made.
      for (let times = 0; times < 3; times += 1) {
        const { body: answer } = await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body });
        created.push(answer.data.id);
      }
      const written = await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId]);
      expect(written.map(({ id }: Json) => id).sort()).toEqual(created.sort());
    });

    it('hold nobody else up, however many WebSockets one key has', async () => {
      const each = 400;
      const { live } = await server.createTeam();
      const other = await server.createTeam();
      const sockets = await Promise.all(Array.from({ length: 4 }, () => connectRawSocket(server.url, live)));
      // Documents that are new take turns of their own.
      sockets[0]!.send(request(each, balance));
      await eventually(() => answered(sockets[0]!.messages) === 1);
      for (const { send } of sockets) for (let id = 0; id < each; id += 1) send(request(id, balance));
      const done = () => sockets.reduce((sum, { messages }) => sum + answered(messages), 0);
      let others = 0;
      while (done() < 4 * each + 1) {
        expect((await server.rest('GET', '/api/v1/wallet/balance', { key: other.live })).status).toBe(200);
        others += 1;
      }
      for (const { messages, socket } of sockets) {
        const results = messages.filter(({ type }) => type === 'next').map(({ id }) => id);
        expect(new Set(results.filter((id) => Number(id) < each)).size).toBe(each);
        socket.terminate();
      }
      expect(others).toBeGreaterThan(each / 10);
    });
  },
);
