import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { findBooking } from '../../src/domain/bookings/reading.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { dayMs, hourMs } from '../harness/testClock.ts';
import { Groups } from './groupPostings.ts';
import { bookingOf, fundedTeam, writeBooking } from './writtenBookings.ts';

/** What each wallet has at first, in centavos. */
const openingCents = 1_000_00;

describeEngines('Bookings posted at the same moment', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // No worker: nobody asks suppliers for bookings that have no offer.
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  const groups = new Groups(() => server);

  groups.it('take no more than there is, and leave out only what is not covered', async () => {
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
        const outcomes = await groups.postAll(postings);
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
    expect(await groups.breaks()).toEqual([]);
    expect(groups.failed()).toEqual([]);
  });

  groups.it('are stored as one that comes alone, column by column, and so are their entries', async () => {
    const { live } = await fundedTeam(server);
    const at = new Date();
    for (const count of [1, 6])
      await groups.postAll(Array(count).fill({ walletId: live, amountCents: 10_00, at }));
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
    const entries = await server.query<{ row: unknown }>(
      `SELECT to_jsonb(e) - ARRAY['id', 'reference_id', 'sequence', 'type_sequence', 'balance_after_cents']
                || jsonb_build_object('description', replace(e.description, b.booking_reference, '')) AS row
         FROM wallet_entries e JOIN bookings b ON b.debit_id = e.id WHERE b.wallet_id = $1`,
      [live],
    );
    expect(entries).toEqual(Array(7).fill(entries[0]));
    expect(groups.failed()).toEqual([]);
  });

  groups.it('are read as they were to be written, holds as well', async () => {
    const { live, teamId } = await fundedTeam(server);
    const { platform } = server.running.gateway;
    const bookings = await Promise.all(
      // Of instant ones the first goes alone, and the others together; each hold goes alone, whatever waits beside it.
      (['hold', 'instant', 'hold', 'hold', 'instant', 'instant'] as const).map((type) =>
        bookingOf(server, live, { type, amountCents: 10_00 }),
      ),
    );
    await Promise.all(bookings.map((booking) => postBooking(booking, null, platform)));
    for (const booking of bookings) {
      const read = await findBooking({ teamId, mode: 'live', walletId: live }, booking.id, platform);
      expect(read).toEqual({ ...booking, team_id: teamId });
    }
    expect(groups.failed()).toEqual([]);
  });

  groups.it('take nothing of what holds reserve, and fail nobody who shares their group', async () => {
    const { live } = await fundedTeam(server);
    await writeBooking(server, live, { type: 'hold', amountCents: 150_00 });
    const amounts = [100_00, 700_00, 100_00, 50_00];
    expect(await groups.postAll(amounts.map((amountCents) => ({ walletId: live, amountCents })))).toEqual([
      'written',
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
    ]);
    expect(await groups.breaks()).toEqual([]);
    expect(groups.failed()).toEqual([]);
  });

  groups.it('take up to 5000.00 each from a test wallet, and none above', async () => {
    const { test } = await fundedTeam(server);
    const amounts = [1_00, 5_000_01, 5_000_00, 9_000_00, 5_000_00];
    expect(await groups.postAll(amounts.map((amountCents) => ({ walletId: test, amountCents })))).toEqual([
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
      'INSUFFICIENT_BALANCE',
      'written',
    ]);
    // The first alone, and the others together.
    expect(await groups.sizes(test)).toEqual([2, 1]);
    expect(await groups.breaks()).toEqual([]);
  });

  groups.it('let no time run backwards in the ledger, whatever the clocks of processes say', async () => {
    const { live } = await fundedTeam(server);
    const midnightMs = Math.ceil(Date.now() / dayMs) * dayMs;
    // Of those that are written together the first is still of the day before.
    const postings = [-1, -2, 1, -1, 0, 2].map((hours) => ({
      walletId: live,
      amountCents: 1_00,
      at: new Date(midnightMs + hours * hourMs),
    }));
    expect(await groups.postAll(postings)).toEqual(postings.map(() => 'written'));
    expect(await groups.breaks()).toEqual([]);
    expect(groups.failed()).toEqual([]);
    const days = await server.query<{ debits: string }>(
      'SELECT debit_count AS debits FROM wallet_days WHERE wallet_id = $1 ORDER BY day DESC LIMIT 2',
      [live],
    );
    expect(days).toEqual([{ debits: '6' }, { debits: '2' }]);
    // What is told is told of when it happened by the clock of who wrote it.
    const told = await server.query<{ kept: boolean }>(
      `SELECT e.created_at = b.created_at AS kept FROM bookings b JOIN events e ON e.subject_id IN (b.id, b.debit_id)
        WHERE b.wallet_id = $1`,
      [live],
    );
    expect(told).toEqual(Array(3 * postings.length).fill({ kept: true }));
  });

  groups.it('are at most 32 in one statement, which holds their wallets until it ends', async () => {
    const { live } = await fundedTeam(server);
    const outcomes = await groups.postAll(Array(70).fill({ walletId: live, amountCents: 1_00 }));
    expect(outcomes).toEqual(Array(70).fill('written'));
    expect((await groups.sizes(live))[0]).toBe(32);
  });

  groups.it('write a key once: the others with it are left out, and harm nobody in their group', async () => {
    const { live } = await fundedTeam(server);
    const [shared, own] = [newIdentifier('evt'), newIdentifier('evt')];
    const keys = [shared, own, shared, undefined, shared];
    const outcomes = await groups.postAll(
      keys.map((key) => ({ walletId: live, amountCents: 10_00, ...(key === undefined ? {} : { key }) })),
    );
    expect(outcomes.filter((outcome, index) => keys[index] === shared && outcome === 'written')).toHaveLength(
      1,
    );
    expect(outcomes.filter((outcome) => outcome === 'EMKEY')).toHaveLength(2);
    expect([outcomes[1], outcomes[3]]).toEqual(['written', 'written']);
    expect(groups.failed()).toEqual([]);
    const [{ bookings } = { bookings: '' }] = await server.query<{ bookings: string }>(
      'SELECT count(*) AS bookings FROM bookings WHERE wallet_id = $1',
      [live],
    );
    expect(bookings).toBe('3');
    expect(await groups.breaks()).toEqual([]);
  });

  groups.it('write a key once that none of them has taken, and know which of them they wrote', async () => {
    const { live } = await fundedTeam(server);
    const [shared, own] = [newIdentifier('evt'), newIdentifier('evt')];
    // The first goes alone, and the others together.
    const keys = [undefined, shared, shared, own, undefined];
    const outcomes = await groups.postAll(
      keys.map((key) => ({ walletId: live, amountCents: 10_00, ...(key === undefined ? {} : { key }) })),
    );
    expect(outcomes).toEqual(['written', 'written', 'EMKEY', 'written', 'written']);
    expect(await groups.sizes(live)).toEqual([3, 1]);
    expect(groups.failed()).toEqual([]);
    expect(await groups.breaks()).toEqual([]);
  });

  groups.it('that meet a key taken before are written without it', async () => {
    const { live } = await fundedTeam(server);
    const key = newIdentifier('evt');
    expect(await groups.postAll([{ walletId: live, amountCents: 10_00, key }])).toEqual(['written']);
    const outcomes = await groups.postAll(
      [undefined, undefined, key, undefined].map((one) => ({
        walletId: live,
        amountCents: 10_00,
        ...(one === undefined ? {} : { key: one }),
      })),
    );
    expect(outcomes).toEqual(['written', 'written', 'EMKEY', 'written']);
    // Which is nothing that anyone should be woken for.
    expect(groups.failed()).toEqual([]);
    expect(await groups.breaks()).toEqual([]);
  });

  groups.it('take a key anew together whose answer is kept no longer', async () => {
    const { live } = await fundedTeam(server);
    const [key, other] = [newIdentifier('evt'), newIdentifier('evt')];
    const wanted = { walletId: live, amountCents: 10_00 };
    expect(await groups.postAll([{ ...wanted, key }])).toEqual(['written']);
    const keysSince = new Date(Date.now() + hourMs);
    const outcomes = await groups.postAll([
      wanted,
      { ...wanted, key, keysSince },
      { ...wanted, key: other, keysSince },
    ]);
    expect(outcomes).toEqual(['written', 'written', 'written']);
    expect(await groups.sizes(live)).toEqual([2, 1, 1]);
  });
});
