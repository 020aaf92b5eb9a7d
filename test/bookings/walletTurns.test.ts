import type pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Door, Outcome } from '../doors/door.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { graphqlDoor } from '../doors/graphqlDoor.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits, patientLockWaits } from '../harness/lockWaits.ts';
import { sentAgain } from '../harness/sentAgain.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, held, inHours, offered, requestFor } from './bookingSteps.ts';

/** What an agency asks for at once: twice as many as there are connections. */
const asked = 12;

/** Of one wallet, in each process, as README has it. */
const atOnce = 2;

/** Makes what an operation needs, and returns how a client sends it. */
type Preparation = (stage: BookingStage, team: TeamKeys) => Promise<() => Promise<Outcome>>;

const writes: Record<string, Preparation> = {
  'instant bookings': async (stage, { live }) => {
    const request = requestFor(await offered(stage, live));
    return () => stage.door.createBooking(live, request);
  },
  holds: async (stage, { live }) => {
    const request = requestFor(await offered(stage, live, { holdUntil: inHours(stage, 1) }), 'hold');
    return () => stage.door.createBooking(live, request);
  },
  confirmations: async (stage, { live }) => {
    const { id } = await held(stage, live);
    return () => stage.door.confirmBooking(live, id);
  },
  cancellations: async (stage, { live }) => {
    const { id } = await booked(stage, live);
    return () => stage.door.cancelBooking(live, id, { idempotencyKey: id });
  },
  recharges: async ({ door }, { live }) => {
    return () => door.createRecharge(live, pixOf('100.00'));
  },
  'cancellations of recharges': async (stage, { live }) => {
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    return () => cancel(stage, live, id);
  },
  'test payments': async ({ door }, { test }) => {
    const { id } = dataOf(await door.createRecharge(test, pixOf('100.00')));
    return () => door.payTest(test, id);
  },
};

describeSeveralSessions('While what an agency writes waits for its wallet', (engine) => {
  const clock = new TestClock();
  const airline = new Airline();
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    const settings = { ROLES: 'api', DATABASE_POOL_SIZE: `${asked / 2}`, DATABASE_POOL_TIMEOUT: '3s' };
    server = await startTestServer(engine, { settings, clock, flightSuppliers: [airline] });
    other = await server.openSession();
  });
  afterAll(() => server?.close());
  const stageOf = (door: Door) => ({ door, otherDoor: door, server, clock, airline }) satisfies BookingStage;

  /** Locks what an agency's money is in, and the day that its recharges count for. @returns what frees them. */
  async function hold({ teamId }: TeamKeys): Promise<() => Promise<void>> {
    await other.query('BEGIN');
    const free = async () => void (await other.query('ROLLBACK'));
    onTestFinished(free);
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    await other.query(
      'SELECT FROM recharge_days WHERE wallet_id IN (SELECT id FROM wallets WHERE team_id = $1) FOR UPDATE',
      [teamId],
    );
    return free;
  }

  const doors = [restDoor(() => server), graphqlDoor(() => server)];
  const cases = doors.flatMap((door) => Object.keys(writes).map((name) => ({ door, name, by: door.name })));

  it.each(cases)('$name ($by) wait for each other, and nobody else for them', async ({ door, name }) => {
    const stage = stageOf(door);
    const [team, free] = [await agencyWith(stage, '9000.00'), await agencyWith(stage, '1000.00')];
    const sends: (() => Promise<Outcome>)[] = [];
    for (let made = 0; made < asked; made += 1) sends.push(await writes[name]!(stage, team));
    const request = requestFor(await offered(stage, free.live));
    const toCancel = await booked(stage, free.live);

    const release = await hold(team);
    let answered = 0;
    const writing = sends.map(async (send) => {
      const outcome = await sentAgain(send);
      answered += 1;
      return outcome;
    });
    await eventually(async () => (await patientLockWaits(server)) >= atOnce);
    for (const outcome of [
      await door.createBooking(free.live, request),
      await door.cancelBooking(free.live, toCancel.id),
      await door.createRecharge(free.live, pixOf('100.00')),
      await door.balance(free.live),
    ])
      expect(outcome.ok, outcome.text).toBe(true);
    expect(await lockWaits(server)).toBe(atOnce);
    expect(answered).toBe(0);

    await release();
    for (const outcome of await Promise.all(writing)) expect(outcome.ok, outcome.text).toBe(true);
  });

  it('its bookings stay out of the groups of others', async () => {
    const stage = stageOf(restDoor(() => server));
    const { door } = stage;
    const [team, free] = [await agencyWith(stage, '9000.00'), await agencyWith(stage, '9000.00')];
    const theirs = requestFor(await offered(stage, team.live));
    const ours = requestFor(await offered(stage, free.live));
    const undone = () => server.logLines.filter((line) => line.includes('not written together')).length;
    const before = undone();

    const release = await hold(team);
    const waiting = [1, 2, 3].map(() => door.createBooking(team.live, theirs));
    await eventually(() => undone() > before);
    const known = undone();
    const late = [1, 2, 3].map(() => door.createBooking(team.live, theirs));
    const booked = [1, 2, 3].map(() => door.createBooking(free.live, ours));
    for (const outcome of await Promise.all(booked)) expect(outcome.ok, outcome.text).toBe(true);
    expect(undone()).toBe(known);

    await release();
    for (const outcome of await Promise.all([...waiting, ...late]))
      expect(outcome.ok, outcome.text).toBe(true);
  });
});
