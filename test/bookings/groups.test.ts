import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { findBooking } from '../../src/domain/bookings/reading.ts';
import type { IdempotencyRow } from '../../src/domain/idempotency/keySql.ts';
import { verifyLedger } from '../../src/domain/ledgerVerification.ts';
import { AppError } from '../../src/errors.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { batchOf } from '../../src/infrastructure/identifiers/identifierBatch.ts';
import { storedWalletEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { allEvents, transports } from '../harness/subscribers.ts';
import { bookingOf, fundedTeam, numberWalletsApart, writeBooking } from './writtenBookings.ts';

/** What each wallet has at first, in centavos. */
const openingCents = 1_000_00;

interface Wanted {
  walletId: number;
  amountCents: number;
  key?: string;
  /** By the clock of the process that writes it; now unless said. */
  at?: Date;
}

const keyOf = (key: string): IdempotencyRow => ({
  scope: 'groups',
  key,
  fingerprint: Buffer.from(key),
  outcome: JSON.stringify({ value: key }),
  createdAt: new Date(),
  oldest: new Date(0),
});

describeEngines('Bookings posted at the same moment', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // No worker: nobody asks suppliers for bookings that have no offer.
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  /** Posts all at once. @returns what became of each: written, or the code of its refusal. */
  async function postAll(postings: Wanted[]) {
    const { platform } = server.running.gateway;
    const bookings = await Promise.all(
      postings.map(({ walletId, ...wanted }) => bookingOf(server, walletId, wanted)),
    );
    return Promise.all(
      bookings.map((booking, index) => {
        const key = postings[index]?.key;
        return postBooking(booking, key === undefined ? null : keyOf(key), platform).then(
          () => 'written',
          (error) => (error instanceof AppError ? error.code : (error.code as string)),
        );
      }),
    );
  }

  const breaks = async () =>
    (await verifyLedger(server.running.gateway.platform.sequelize)).filter(
      ({ break: found }) => found !== null,
    );

  const failedGroups = () => server.logLines.filter((line) => line.includes('not written together'));

  it('take no more than there is, and leave out only what is not covered', async () => {
    const amount = fc.integer({ min: 1, max: 400_00 });
    const party = fc.array(fc.record({ wallet: fc.constantFrom('one', 'other', 'test'), amount }), {
      minLength: 1,
      maxLength: 40,
      // Otherwise hardly any is longer than ten, and a wallet has enough for those.
      size: 'max',
    });
    let leftOut = 0;
    await fc.assert(
      fc.asyncProperty(party, async (wanted) => {
        const [one, other] = [await fundedTeam(server), await fundedTeam(server)];
        const wallets: Record<string, number> = { one: one.live, other: other.live, test: one.test };
        const postings = wanted.map(({ wallet, amount: amountCents }) => ({
          walletId: wallets[wallet] ?? 0,
          amountCents,
        }));
        const outcomes = await postAll(postings);
        for (const walletId of Object.values(wallets)) {
          const ofWallet = postings.map((posting, index) => ({ ...posting, outcome: outcomes[index] }));
          const mine = ofWallet.filter((posting) => posting.walletId === walletId);
          const spent = mine
            .filter(({ outcome }) => outcome === 'written')
            .reduce((sum, { amountCents }) => sum + amountCents, 0);
          const refused = mine.filter(({ outcome }) => outcome === 'INSUFFICIENT_BALANCE');
          if (walletId === one.test) {
            expect(refused).toEqual([]);
            continue;
          }
          expect(spent).toBeLessThanOrEqual(openingCents);
          leftOut += refused.length;
          // Nothing was refused that what is left in the end could have paid.
          for (const { amountCents } of refused) expect(amountCents).toBeGreaterThan(openingCents - spent);
          const [wallet] = await server.query<{ balance_cents: string }>(
            'SELECT balance_cents FROM wallets WHERE id = $1',
            [walletId],
          );
          expect(Number(wallet?.balance_cents)).toBe(openingCents - spent);
        }
      }),
      { numRuns: 8, examples: [[Array(6).fill({ wallet: 'one', amount: 300_00 })]] },
    );
    expect(leftOut).toBeGreaterThan(0);
    expect(await breaks()).toEqual([]);
    expect(failedGroups()).toEqual([]);
  });

  it('are stored as one that comes alone, column by column', async () => {
    const { live } = await fundedTeam(server);
    const at = new Date();
    for (const count of [1, 6]) await postAll(Array(count).fill({ walletId: live, amountCents: 10_00, at }));
    const rows = await server.query<{ row: Record<string, unknown> }>(
      'SELECT to_jsonb(b) AS row FROM bookings b WHERE wallet_id = $1',
      [live],
    );
    // What each has of its own.
    const own = ['id', 'booking_reference', 'debit_id', 'offer_id', 'sealed_travellers'];
    const stored = rows.map(({ row }) =>
      Object.entries(row).map(([name, value]) => [name, own.includes(name) ? typeof value : value]),
    );
    expect(stored).toEqual(Array(7).fill(stored[0]));
    expect(failedGroups()).toEqual([]);
  });

  it('are read as they were to be written, holds as well', async () => {
    const { live, teamId } = await fundedTeam(server);
    const { platform } = server.running.gateway;
    const bookings = await Promise.all(
      // Of instant ones the first goes alone, and the others together.
      (['hold', 'instant', 'instant', 'instant'] as const).map((type) =>
        bookingOf(server, live, { type, amountCents: 10_00 }),
      ),
    );
    await Promise.all(bookings.map((booking) => postBooking(booking, null, platform)));
    for (const booking of bookings) {
      const read = await findBooking({ teamId, mode: 'live', walletId: live }, booking.id, platform);
      expect(read).toEqual({ ...booking, team_id: teamId });
    }
    expect(failedGroups()).toEqual([]);
  });

  it.each([
    // 1000.00 less nine times 60.00 is the first below 500.00.
    { each: 60_00, told: 9, balance: '460.00' },
    // Five times 100.00 leaves 500.00, which is not below it.
    { each: 100_00, told: 6, balance: '400.00' },
  ])(
    'tell each its own events, and the low balance once: of $each centavos with number $told',
    async ({ each, told, balance }) => {
      const { live } = await fundedTeam(server);
      const postings = Array.from({ length: 10 }, () => ({ walletId: live, amountCents: each }));
      expect(await postAll(postings)).toEqual(postings.map(() => 'written'));
      const events = await server.query<{ type: string; balance: string | null }>(
        `SELECT type, data #>> '{object,balance}' AS balance FROM events
        WHERE wallet_id = $1 AND (type LIKE 'booking.%' OR type IN ('wallet.debit', 'wallet.low_balance'))
        ORDER BY sequence`,
        [live],
      );
      const ofEach = ['booking.created', 'wallet.debit', 'booking.confirmed'];
      const expected = postings.flatMap((_, index) =>
        index === told - 1 ? [...ofEach, 'wallet.low_balance'] : ofEach,
      );
      expect(events.map(({ type }) => type)).toEqual(expected);
      expect(events.find(({ type }) => type === 'wallet.low_balance')?.balance).toBe(balance);
      expect(failedGroups()).toEqual([]);
      expect(await breaks()).toEqual([]);
    },
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
    await postAll(wallets.map((walletId) => ({ walletId, amountCents: 1_00 })));
    await eventually(() => wallets.every((walletId) => timesOf(walletId) === 4));
  });

  it('tell no agency by its ids that others booked with it, nor the ids of theirs', async () => {
    const agencies = [await fundedTeam(server), await fundedTeam(server)];
    const postings = Array.from({ length: 8 }, () => agencies.map(({ live }) => live)).flat();
    const outcomes = await postAll(postings.map((walletId) => ({ walletId, amountCents: 1_00 })));
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
    expect(failedGroups()).toEqual([]);
  });

  it('take nothing of what holds reserve, and fail nobody who shares their group', async () => {
    const { live } = await fundedTeam(server);
    await writeBooking(server, live, { type: 'hold', amountCents: 150_00 });
    const amounts = [100_00, 700_00, 100_00, 50_00];
    expect(await postAll(amounts.map((amountCents) => ({ walletId: live, amountCents })))).toEqual([
      'written',
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
    ]);
    expect(await breaks()).toEqual([]);
    expect(failedGroups()).toEqual([]);
  });

  it('take up to 5000.00 each from a test wallet, and none above', async () => {
    const { test } = await fundedTeam(server);
    const amounts = [1_00, 5_000_01, 5_000_00, 9_000_00, 5_000_00];
    expect(await postAll(amounts.map((amountCents) => ({ walletId: test, amountCents })))).toEqual([
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
    ]);
    expect(await breaks()).toEqual([]);
  });

  it('let no time run backwards in the ledger, whatever the clocks of processes say', async () => {
    const { live } = await fundedTeam(server);
    const now = Date.now();
    const hours = [0, -1, -2, 1, -1, 2];
    const postings = hours.map((ahead) => ({
      walletId: live,
      amountCents: 1_00,
      at: new Date(now + ahead * 3_600_000),
    }));
    expect(await postAll(postings)).toEqual(postings.map(() => 'written'));
    expect(await breaks()).toEqual([]);
    expect(failedGroups()).toEqual([]);
  });

  it('write a key once: the others with it are left out, and harm nobody in their group', async () => {
    const { live } = await fundedTeam(server);
    const [shared, own] = [newIdentifier('evt'), newIdentifier('evt')];
    const keys = [shared, own, shared, undefined, shared];
    const outcomes = await postAll(
      keys.map((key) => ({ walletId: live, amountCents: 10_00, ...(key === undefined ? {} : { key }) })),
    );
    expect(outcomes.filter((outcome, index) => keys[index] === shared && outcome === 'written')).toHaveLength(
      1,
    );
    expect(outcomes.filter((outcome) => outcome === 'EMKEY')).toHaveLength(2);
    expect([outcomes[1], outcomes[3]]).toEqual(['written', 'written']);
    expect(failedGroups()).toEqual([]);
    const [{ bookings } = { bookings: '' }] = await server.query<{ bookings: string }>(
      'SELECT count(*) AS bookings FROM bookings WHERE wallet_id = $1',
      [live],
    );
    expect(bookings).toBe('3');
    expect(await breaks()).toEqual([]);
  });

  it('that meet a key taken before are written without it', async () => {
    const { live } = await fundedTeam(server);
    const key = newIdentifier('evt');
    expect(await postAll([{ walletId: live, amountCents: 10_00, key }])).toEqual(['written']);
    const outcomes = await postAll(
      [undefined, undefined, key, undefined].map((one) => ({
        walletId: live,
        amountCents: 10_00,
        ...(one === undefined ? {} : { key: one }),
      })),
    );
    expect(outcomes).toEqual(['written', 'written', 'EMKEY', 'written']);
    // Which is nothing that anyone should be woken for.
    expect(failedGroups()).toEqual([]);
    expect(await breaks()).toEqual([]);
  });
});
