import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { Bank, patientWithBank } from '../payments/bank.ts';
import { longLogOf } from './longLog.ts';

const heartbeatMs = 12_000;
const atOnce = 64;
const recharge = 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }';

/** A WebSocket on which as many operations are under way as may be: all but one are held up, and that is long in answer. */
interface Held {
  readonly asking: Awaited<ReturnType<typeof connectRawSocket>>;
  readonly pings: Buffer[];
  /** Asks for one more operation, under its number. */
  ask(query?: string): void;
  /** How many charges were asked for. */
  asked(): number;
  /** Has the long answer begin, of which the client takes no more than that it has. */
  answerUnread(): Promise<void>;
  /** Has the client take what is sent. */
  read(): void;
  /** Lets the charges be made, and resolves once all that was asked for is answered. */
  answerAll(): Promise<void>;
}

describeSeveralSessions('Where operations wait for those before them on a WebSocket,', (engine) => {
  const bank = new Bank();
  let server: TestServer;
  beforeAll(async () => {
    const webhooks = { WEBHOOK_REACHABILITY_CHECK: 'false', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true' };
    const settings = { ...patientWithBank, ...webhooks };
    server = await startTestServer(engine, { settings, paymentProvider: bank });
  });
  afterAll(() => server?.close());

  async function withHeld(work: (held: Held) => Promise<void>): Promise<void> {
    const { key, asking: excerpts } = await longLogOf(server, 'live');
    // Far more bytes than the systems on the way hold, in as many characters as an answer may have.
    await server.query(`UPDATE webhook_attempts SET response_excerpt = repeat('€', 1365)`);
    const link = await startHoldingLink(new URL(server.url));
    const session = await server.openSession();
    const { asked, tell } = bank.holdCharges();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const asking = await connectRawSocket(link.url, key, { autoPong: false });
      const pings: Buffer[] = [];
      asking.socket.on('ping', (before) => pings.push(before));
      let operations = 0;
      const ask = (query = recharge) => {
        operations += 1;
        asking.send({ type: 'subscribe', id: String(operations), payload: { query } });
      };
      await session.query('BEGIN; LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
      ask(excerpts(6));
      for (let others = 1; others < atOnce; others += 1) ask();
      await eventually(async () => asked() === atOnce - 1 && (await lockWaits(server)) > 0);
      await work({
        asking,
        pings,
        ask,
        asked,
        async answerUnread() {
          link.holdNext();
          await session.query('ROLLBACK');
          await eventually(link.isHolding);
        },
        read: link.letThrough,
        async answerAll() {
          tell();
          const answered = () => asking.messages.filter(({ type }) => type === 'complete').length;
          await eventually(() => answered() === operations);
        },
      });
      expect(asking.messages.filter(({ type, payload }) => type === 'error' || payload?.errors)).toEqual([]);
      asking.socket.terminate();
    } finally {
      tell();
      bank.reset();
      vi.useRealTimers();
      await session.end();
      link.close();
    }
  }

  /** More than may wait until nothing more is read. */
  const long = `{ walletBalance { balance } } #${'x'.repeat(70_000)}`;

  it('no more is read when a client has taken what it left unread before', () =>
    withHeld(async ({ asking, ask, asked, answerUnread, read, answerAll }) => {
      // It takes the place of the long answer, and the next waits on.
      ask();
      await asking.caughtUp();
      const pongs = () => asking.messages.filter(({ type }) => type === 'pong').length;
      const before = pongs();
      await answerUnread();
      ask(long);
      // The end of this has not come with what is before it.
      asking.send({ type: 'ping', payload: { filling: 'x'.repeat(100_000) } });
      for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
      read();
      await eventually(() => asked() === atOnce);
      for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
      expect(pongs()).toBe(before);
      await answerAll();
      await eventually(() => pongs() === before + 1);
    }));

  it('a client has time to take a long answer, and its own to a ping is not missed meanwhile', () =>
    withHeld(async ({ asking, pings, ask, answerUnread, read, answerAll }) => {
      await vi.advanceTimersByTimeAsync(heartbeatMs);
      await eventually(() => pings.length > 0);
      ask(long);
      // Read as the last before the server reads no more.
      await asking.caughtUp();
      asking.socket.pong(pings[0]);
      await answerUnread();
      await vi.advanceTimersByTimeAsync(heartbeatMs);
      read();
      await answerAll();
      expect(asking.socket.readyState).toBe(asking.socket.OPEN);
    }));
});

/** Stands between a client and the server, of whose answers it takes none from the next on until it is told to. */
async function startHoldingLink(target: URL) {
  let holdsNext = false;
  let isHolding = false;
  let letThrough = (): void => undefined;
  const { url, close } = await startServiceLink(target, (near, far) => {
    near.on('data', (bytes: Buffer) => far.write(bytes));
    far.on('data', (bytes: Buffer) => {
      near.write(bytes);
      if (!holdsNext) return;
      isHolding = true;
      far.pause();
    });
    letThrough = () => {
      holdsNext = false;
      isHolding = false;
      far.resume();
    };
  });
  return {
    url: new URL(url).origin,
    close,
    holdNext() {
      holdsNext = true;
    },
    isHolding: () => isHolding,
    letThrough: () => letThrough(),
  };
}
