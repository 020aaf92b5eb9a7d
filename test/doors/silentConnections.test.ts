import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requestRecharge, storedEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { transports } from '../harness/subscribers.ts';

/** Stands between a server and its database, and forgets one connection until it is told to remember it. */
async function startForgetfulLink(target: URL) {
  /** The statement that ends what passes on its connection. */
  let lastStatement: string | null = null;
  let forgotten: { held: (() => void)[]; saidSince: number; isForgotten: boolean } | null = null;
  const link = await startServiceLink(target, (near, far) => {
    let fate: typeof forgotten = null;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (lastStatement !== null && from === near && bytes.includes(lastStatement)) {
          lastStatement = null;
          fate = { held: [], saidSince: 0, isForgotten: true };
          forgotten = fate;
        }
        if (fate?.isForgotten) return void fate.held.push(() => to.write(bytes));
        if (fate && from === near) fate.saidSince += 1;
        to.write(bytes);
      });
    }
  });
  return {
    ...link,
    /** The next connection on which this is asked for passes nothing from then on; all others go on. */
    forgetAt(statement: string) {
      lastStatement = statement;
      forgotten = null;
    },
    hasForgotten: () => forgotten !== null,
    /** Passes on what was said meanwhile, and what will be. */
    remember() {
      lastStatement = null;
      if (!forgotten) return;
      forgotten.isForgotten = false;
      for (const tell of forgotten.held.splice(0)) tell();
    },
    /** How often something was asked on it since it is remembered. */
    askedSince: () => forgotten?.saidSince ?? 0,
  };
}

/** Less than a connection may be silent for. */
const inTime = { timeout: 30_000 };

describeSeveralSessions('What is read on a connection that falls silent', (engine) => {
  let link: Awaited<ReturnType<typeof startForgetfulLink>>;
  let server: TestServer;
  beforeAll(async () => {
    const place = await engine.allocate();
    link = await startForgetfulLink(new URL(place.settings.DATABASE_URL ?? ''));
    const settings = { ...place.settings, DATABASE_URL: link.url };
    // No worker, whose reads would be the ones that are lost.
    server = await startTestServer(
      { ...engine, allocate: async () => ({ ...place, settings }) },
      { settings: { ROLES: 'api' } },
    );
  });
  afterEach(() => link.remember());
  afterAll(async () => {
    await server?.close();
    link?.close();
  });

  const ask = (key: string) => server.rest('GET', '/api/v1/wallet/balance', { key });

  describe.each(['find_key', 'read_balance'])('when it is asked for %s', (statement) => {
    it('is asked on another one, also when nobody asks for anything else', inTime, async () => {
      const { live } = await server.createTeam();
      link.forgetAt(statement);
      expect((await ask(live)).body.data.balance).toBe('0.00');
      expect(link.hasForgotten()).toBe(true);
    });

    it('is asked there for all that wait', inTime, async () => {
      const keys = [];
      for (let made = 0; made < 6; made += 1) keys.push((await server.createTeam()).live);
      link.forgetAt(statement);
      const answers = await Promise.all(keys.map(ask));
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
      expect(link.hasForgotten()).toBe(true);
    });
  });

  it('is not mixed up with what comes late, and is read on that connection again', inTime, async () => {
    const { live, test } = await server.createTeam();
    link.forgetAt('read_balance');
    expect((await ask(live)).body.data.balance).toBe('0.00');
    link.remember();
    await eventually(async () => {
      const keys = [live, test, live, test];
      const balances = (await Promise.all(keys.map(ask))).map(({ body }) => body.data.balance);
      expect(balances).toEqual(['0.00', '5000.00', '0.00', '5000.00']);
      return link.askedSince() > 3;
    });
  });

  describe.each(transports)('by who subscribes over $name', ({ subscribe }) => {
    it.each(['find_event_sequence', 'read_latest_events', 'read_events_from'])(
      'is asked on another one (%s): what happens then is told',
      inTime,
      async (statement) => {
        const { teamId, live: key } = await server.createTeam();
        const after = (await storedEvents(server, teamId, 'live')).at(-1)?.id;
        link.forgetAt(statement);
        const subscriber = subscribe(server.url, { key, variables: { after } });
        try {
          await eventually(() => link.hasForgotten());
          await requestRecharge(server, key);
          const [event] = await subscriber.sees(1);
          expect(event).toMatchObject({ type: 'wallet.recharge.pending', teamId });
        } finally {
          subscriber.cut();
        }
      },
    );
  });
});
