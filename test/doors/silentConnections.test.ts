import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { poolOf } from '../../src/infrastructure/database/sharedConnections.ts';
import { requestRecharge, storedEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { transports } from '../harness/subscribers.ts';

/** What becomes of what is said on a connection. */
interface Fate {
  readonly held: (() => void)[];
  isForgotten: boolean;
  saidSince: number;
}

/** Stands between a server and its database, and forgets connections until it is told to remember them. */
async function startForgetfulLink(target: URL) {
  /** The statement that ends what passes on its connection. */
  let lastStatement: string | null = null;
  let forgotten: Fate[] = [];
  const fates = new Set<Fate>();
  const forget = (fate: Fate) => {
    Object.assign(fate, { isForgotten: true, saidSince: 0 });
    forgotten.push(fate);
  };
  const link = await startServiceLink(target, (near, far) => {
    const fate: Fate = { held: [], isForgotten: false, saidSince: 0 };
    fates.add(fate);
    near.on('close', () => fates.delete(fate));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (lastStatement !== null && from === near && bytes.includes(lastStatement)) {
          lastStatement = null;
          forget(fate);
        }
        if (fate.isForgotten) return void fate.held.push(() => to.write(bytes));
        if (from === near) fate.saidSince += 1;
        to.write(bytes);
      });
    }
  });
  return {
    ...link,
    /** The next connection on which this is asked for passes nothing from then on; all others go on. */
    forgetAt(statement: string) {
      lastStatement = statement;
      forgotten = [];
    },
    /** Every connection that is there passes nothing from now on; those to come do. */
    forgetAll() {
      forgotten = [];
      fates.forEach(forget);
    },
    hasForgotten: () => forgotten.length > 0,
    /** Passes on what was said meanwhile, and what will be. */
    remember() {
      lastStatement = null;
      for (const fate of forgotten) {
        fate.isForgotten = false;
        for (const tell of fate.held.splice(0)) tell();
      }
    },
    /** How often something was asked on it since it is remembered. */
    askedSince: () => forgotten[0]?.saidSince ?? 0,
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

  it('is asked on a new one where all that were there have fallen silent', inTime, async () => {
    const teams = await Promise.all(Array.from({ length: 6 }, () => server.createTeam()));
    const keys = teams.map(({ live }) => live);
    // Nobody reads: all are back in the pool, and the next are taken from there.
    await eventually(() => poolOf(server.running.gateway.platform.sequelize).available > 3);
    link.forgetAll();
    const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);
    expect(statuses(await Promise.all(keys.map(ask)))).toEqual(keys.map(() => 200));
    expect((await ask(server.keys.live)).status).toBe(200);
    expect(link.hasForgotten()).toBe(true);
  });

  it('is not mixed up with what comes late, and is read on that connection again', inTime, async () => {
    const { live, test } = await server.createTeam();
    // On a slow machine it may go back to the pool before somebody reads, and stay there.
    await eventually(async () => {
      link.forgetAt('read_balance');
      expect((await ask(live)).body.data.balance).toBe('0.00');
      link.remember();
      for (let times = 0; times < 10 && link.askedSince() <= 3; times += 1) {
        const keys = [live, test, live, test];
        const balances = (await Promise.all(keys.map(ask))).map(({ body }) => body.data.balance);
        expect(balances).toEqual(['0.00', '5000.00', '0.00', '5000.00']);
      }
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
