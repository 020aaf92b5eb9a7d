import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { batchOf } from '../../src/infrastructure/identifiers/identifierBatch.ts';
import { storedWalletEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { allEvents, transports } from '../harness/subscribers.ts';
import { Groups } from './groupPostings.ts';
import { fundedTeam, numberWalletsApart } from './writtenBookings.ts';

/** What each booking tells, in this order. */
const ofEach = ['booking.created', 'wallet.debit', 'booking.confirmed'];

describeEngines('Events of bookings posted at the same moment', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // No worker: nobody asks suppliers for bookings that have no offer.
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  const groups = new Groups(() => server);

  groups.it('are told as one that comes alone', async () => {
    const { live } = await fundedTeam(server);
    const at = new Date();
    for (const count of [1, 4])
      await groups.postAll(Array(count).fill({ walletId: live, amountCents: 10_00, at }));
    const told = await server.query<{ type: string; text: string }>(
      `SELECT e.type, replace(replace(replace(e.subject_id || (e.data::jsonb #- '{object,balance_after}')::text,
                b.id, 'its id'), b.debit_id, 'its debit'), b.booking_reference, 'its reference') AS text
         FROM bookings b JOIN events e ON e.subject_id IN (b.id, b.debit_id)
        WHERE b.wallet_id = $1 ORDER BY e.sequence`,
      [live],
    );
    const alone = told.slice(0, 3);
    expect(alone.map(({ type }) => type)).toEqual(ofEach);
    expect(told).toEqual(Array(5).fill(alone).flat());
    expect(groups.failed()).toEqual([]);
  });

  it.each([
    // 1000.00 less nine times 60.00 is the first below 500.00.
    { amounts: Array(10).fill(60_00), told: 9, balance: '460.00' },
    // Five times 100.00 leaves 500.00, which is not below it.
    { amounts: Array(10).fill(100_00), told: 6, balance: '400.00' },
    // Those that are written together find 500.00, and the first of them takes it below.
    { amounts: [500_00, 1_00, 1_00, 1_00], told: 2, balance: '499.00' },
    // They find less: of that all has been told.
    { amounts: [500_01, 1_00, 1_00, 1_00], told: 1, balance: '499.99' },
  ])(
    'tell each its own events, and the low balance once: of $amounts with number $told',
    groups.together(async ({ amounts, told, balance }) => {
      const { live, teamId } = await fundedTeam(server);
      const postings = amounts.map((amountCents) => ({ walletId: live, amountCents }));
      expect(await groups.postAll(postings)).toEqual(postings.map(() => 'written'));
      const events = await server.query<{ type: string; subject_id: string; balance: string | null }>(
        `SELECT type, subject_id, data #>> '{object,balance}' AS balance FROM events
        WHERE wallet_id = $1 AND (type LIKE 'booking.%' OR type IN ('wallet.debit', 'wallet.low_balance'))
        ORDER BY sequence`,
        [live],
      );
      const expected = postings.flatMap((_, index) =>
        index === told - 1 ? [...ofEach, 'wallet.low_balance'] : ofEach,
      );
      expect(events.map(({ type }) => type)).toEqual(expected);
      const type = 'wallet.low_balance';
      expect(events.find((event) => event.type === type)).toEqual({ type, subject_id: teamId, balance });
      expect(groups.failed()).toEqual([]);
      expect(await groups.breaks()).toEqual([]);
    }),
  );

  it('are announced to each team that has some among them', async () => {
    await numberWalletsApart(server);
    const { platform } = server.running.gateway;
    const heard: number[] = [];
    onTestFinished(await platform.signals.subscribe('events', ({ walletId }) => void heard.push(walletId)));
    // The first goes alone, and the others together meanwhile.
    const wallets = [await fundedTeam(server), await fundedTeam(server), await fundedTeam(server)].map(
      ({ live }) => live,
    );
    const timesOf = (walletId: number) => heard.filter((one) => one === walletId).length;
    // Of its key, its recharge, and the payment of that.
    await eventually(() => wallets.every((walletId) => timesOf(walletId) === 3));
    const [first, second, third] = wallets as [number, number, number];
    // One is left out, between those that are written.
    const key = newIdentifier('evt');
    const postings = [
      { walletId: first },
      { walletId: second, key },
      { walletId: second, key },
      { walletId: third },
    ];
    const outcomes = await groups.postAll(postings.map((one) => ({ ...one, amountCents: 1_00 })));
    expect(outcomes).toEqual(['written', 'written', 'EMKEY', 'written']);
    await eventually(() => wallets.every((walletId) => timesOf(walletId) === 4));
  });

  groups.it('tell no agency by its ids that others booked with it, nor the ids of theirs', async () => {
    const agencies = [await fundedTeam(server), await fundedTeam(server)];
    const postings = Array.from({ length: 8 }, () => agencies.map(({ live }) => live)).flat();
    const outcomes = await groups.postAll(postings.map((walletId) => ({ walletId, amountCents: 1_00 })));
    expect(outcomes).toEqual(postings.map(() => 'written'));
    const batches = await Promise.all(
      agencies.map(async ({ teamId, key }) => {
        const [start] = await storedWalletEvents(server, teamId, 'live');
        const variables = { after: start.id, types: ['booking.created'] };
        const subscriber = transports[0]?.subscribe(server.url, { key, query: allEvents, variables });
        const told = (await subscriber?.sees(8)) ?? [];
        subscriber?.cut();
        return told.map(({ id }) => batchOf(id));
      }),
    );
    // Of each booking, whoever it was written together with, a batch of its own.
    expect(new Set(batches.flat()).size).toBe(postings.length);
    expect(groups.failed()).toEqual([]);
  });
});
