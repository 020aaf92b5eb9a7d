import type { Transaction } from 'sequelize';
import { QueryTypes } from 'sequelize';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ledgerChecks, ledgerResults } from '../../src/domain/ledgerVerification.ts';
import { expireOverdueRecharges } from '../../src/domain/recharges/ending.ts';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks, verifyLedger } from '../harness/ledger.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { minuteMs } from '../harness/testClock.ts';
import { tellBookingStory } from './ledgerBookingStory.ts';
import type { Story } from './ledgerCorruptions.ts';
import { corruptions } from './ledgerCorruptions.ts';
import type { Caller } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';
import { tellReturnStory } from './ledgerReturnStory.ts';
import { soundChanges } from './ledgerSoundChanges.ts';

async function tellStory(server: TestServer, clock: ManualClock): Promise<Story> {
  const doors = new LedgerDoors(server);
  const team = await server.createTeam();
  const idle = await server.createTeam();
  const wallets = await walletsOf(server, team.teamId);
  const live: Caller = { mode: 'live', key: team.live };
  const test: Caller = { mode: 'test', key: team.test };
  let keys = 0;
  const recharge = async (caller: Caller, amount: string, method = 'pix') => {
    keys += 1;
    const { value } = await doors.create('rest', caller, amount, method, `${caller.mode} ${keys}`);
    return value.id as string;
  };
  const pay = (caller: Caller, id: string, paidAt: Date | null = null) =>
    doors.pay('rest', caller, id, paidAt);

  const completed = await recharge(live, '150.00');
  await pay(live, completed);
  const pending = await recharge(live, '200.00', 'boleto');
  const expired = await recharge(live, '120.00');
  const late = await recharge(live, '130.00');
  const paidAt = clock.now();
  await doors.cancel(live, await recharge(live, '140.00'));
  clock.advance(31 * minuteMs);
  await expireOverdueRecharges(server.running.gateway.platform);
  await pay(live, late, paidAt);
  await pay(test, await recharge(test, '150.00'));
  await doors.help('rest', test, await recharge(test, '160.00'), 'fail');
  await doors.help('rest', test, await recharge(test, '170.00'), 'expire');
  await writeBooking(server, wallets.test, { amountCents: 1_00 });
  clock.advance(24 * 60 * minuteMs);
  await pay(live, await recharge(live, '300.00', 'boleto'));
  await writeBooking(server, wallets.live, { amountCents: 50_00 });
  await writeBooking(server, wallets.test, { amountCents: 4_999_99 });
  await pay(live, await recharge(live, '110.00'));
  const spent = await server.createTeam();
  await pay({ mode: 'live', key: spent.live }, await recharge({ mode: 'live', key: spent.live }, '100.00'));
  await writeBooking(server, (await walletsOf(server, spent.teamId)).live, { amountCents: 100_00 });
  const empty = (await walletsOf(server, idle.teamId)).live;
  return {
    ...wallets,
    empty,
    bookings: await tellBookingStory(server, clock, doors, empty),
    returns: await tellReturnStory(server, doors, empty),
    completed,
    pending,
    expired,
    late,
  };
}

describeEngines('ledger verification', (engine) => {
  const clock = new ManualClock();
  let server: TestServer;
  let story: Story;

  beforeAll(async () => {
    server = await startTestServer(engine, { clock, settings: { ROLES: 'api' } });
    story = await tellStory(server, clock);
  });
  afterAll(() => server?.close());

  /** Breaks found after a corruption, which is undone: names of the checks and what they told. */
  async function breaksAfter(corruption: string): Promise<Map<string, string>> {
    const { sequelize } = server.running.gateway.platform;
    const transaction: Transaction = await sequelize.transaction();
    try {
      await sequelize.query(`SET LOCAL session_replication_role = replica; ${corruption}`, { transaction });
      const breaks = new Map<string, string>();
      for (const { name, sql } of ledgerChecks) {
        const rows = await sequelize.query<{ break: string }>(sql, { transaction, type: QueryTypes.SELECT });
        expect(rows.length).toBeLessThanOrEqual(1);
        if (rows[0]) breaks.set(name, rows[0].break);
      }
      return breaks;
    } finally {
      await transaction.rollback();
    }
  }

  it('finds a sound ledger sound, check by check', async () => {
    expect(await verifyLedger(server.running.gateway.platform.sequelize)).toEqual(
      ledgerChecks.map(({ name }) => ({ name, break: null })),
    );
    expect(await breaksAfter('SELECT 1')).toEqual(new Map());
  });

  it('has a corruption for every check', () => {
    expect(Object.keys(corruptions)).toEqual(ledgerChecks.map(({ name }) => name));
  });

  for (const [name, ways] of Object.entries(corruptions)) {
    describe(name, () => {
      for (const [way, corruption] of Object.entries(ways)) {
        it(way, async () => {
          const breaks = await breaksAfter(corruption(story));
          expect([...breaks.keys()]).toContain(name);
          expect(breaks.get(name)).toMatch(/^(wallet|recharge|booking|event|payment) \w+/);
        });
      }
    });
  }

  for (const [what, change] of Object.entries(soundChanges)) {
    it(`finds nothing wrong with ${what}`, async () => {
      expect(await breaksAfter(change(story))).toEqual(new Map());
    });
  }

  it('names the row that is broken first', async () => {
    const breaks = await breaksAfter(
      `UPDATE wallet_entries SET balance_after_cents = balance_after_cents + 1
        WHERE wallet_id = ${story.live} AND sequence IN (2, 4)`,
    );
    expect(breaks.get('each balance follows from the one before')).toMatch(
      new RegExp(`^wallet ${story.live}: entry 2 \\(txn_\\w+\\) left 28001 centavos, should be 28000$`),
    );
  });

  it('says whether a booking was debited that should have been otherwise', async () => {
    const check = 'a booking has the money that its state says';
    const ways = corruptions[check]!;
    const [debited, undebited] = [ways['a held booking is debited']!, ways['a confirmed booking is not']!];
    expect((await breaksAfter(debited(story))).get(check)).toMatch(
      /: pending, debited, refunded nothing of \d+$/,
    );
    expect((await breaksAfter(undebited(story))).get(check)).toMatch(
      /: confirmed, not debited, refunded nothing of \d+$/,
    );
  });

  it('stops at no break, so that a caller may see them all', async () => {
    onTestFinished(async () => {
      await server.query(`UPDATE wallets SET event_count = event_count - 1 WHERE id = ${story.empty}`);
    });
    await server.query(`UPDATE wallets SET event_count = event_count + 1 WHERE id = ${story.empty}`);
    const { sequelize } = server.running.gateway.platform;
    expect(await verifyLedger(sequelize)).toHaveLength(ledgerChecks.length);
    expect(await ledgerBreaks(sequelize)).toEqual([
      {
        name: 'each wallet has counted its events',
        break: `wallet ${story.empty} counts 2 events, the last one has number 1`,
      },
    ]);
  });

  it('writes nothing: the database refuses a check that tries', async () => {
    const { sequelize } = server.running.gateway.platform;
    const writing = {
      name: 'writes',
      sql: `UPDATE wallets SET event_count = 0 RETURNING 'written' AS break`,
    };
    await expect(verifyLedger(sequelize, [writing])).rejects.toThrow(/read-only transaction/);
    expect(await ledgerBreaks(sequelize)).toEqual([]);
  });

  // Beside the embedded store's one session nobody writes.
  if (engine.name === 'PostgreSQL and Redis') {
    it('sees one moment, whatever is written between two checks', async () => {
      const { sequelize } = server.running.gateway.platform;
      const counting = { name: 'counts', sql: 'SELECT count(*)::text AS break FROM wallets' };
      const results = ledgerResults(sequelize, [counting, counting]);
      const { value: before } = await results.next();
      await server.createTeam();
      const { value: after } = await results.next();
      await results.return();
      expect(after).toEqual(before);
      expect(await verifyLedger(sequelize, [counting])).not.toEqual([before]);
    });
  }
});
