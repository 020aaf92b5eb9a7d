import { debitReturnedPayment } from '../../src/domain/recharges/returnedPayments.ts';
import type { TestServer } from '../harness/server.ts';
import type { LedgerDoors } from './ledgerDoors.ts';

/** Recharges of a live wallet that the bank took back, and what the provider told of them. */
export interface ReturnStory {
  /** A live wallet in which nothing ever happened. */
  readonly empty: number;
  /** Of 300.00, of which two payments were returned. */
  readonly recharge: string;
  /** 100.00 of it were returned, and debited. */
  readonly debited: string;
  /** Another 150.00 were, of which 50.00 are debited. */
  readonly waiting: string;
  /** Of 100.00, which were returned without saying how much, and debited. */
  readonly whole: string;
  /** 100.00 of 210.00, debited in two parts. */
  readonly parted: string;
}

/** Lets all of it happen, by the product's own statements. */
export async function tellReturnStory(
  server: TestServer,
  doors: LedgerDoors,
  empty: number,
): Promise<ReturnStory> {
  const { platform } = server.running.gateway;
  const team = await server.createTeam();
  const caller = { mode: 'live' as const, key: team.live };
  const paid = async (amount: string) => {
    const { value } = await doors.create('rest', caller, amount, 'pix', `return story ${amount}`);
    await doors.pay('rest', caller, value.id, null);
    return value.id as string;
  };
  const [recharge, other] = [await paid('300.00'), await paid('100.00')];
  const [half, shared] = [await paid('210.00'), await paid('120.00')];
  const returned = async (id: string, rechargeId: string, cents: number | null) => {
    await server.query(
      `INSERT INTO payment_notices (id, provider, provider_reference, outcome, recharge_id, amount_cents, paid_at,
                                    received_at, reason)
       VALUES ($1, 'simulated', $1, 'returned', $2, $3, $4, $4, 'returned')`,
      [id, rechargeId, cents, platform.clock.now()],
    );
    return id;
  };
  const story = {
    empty,
    recharge,
    debited: await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qa', recharge, 100_00),
    waiting: await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qb', recharge, 150_00),
    whole: await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qc', other, null),
    parted: await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qd', half, 100_00),
  };
  // Of one recharge, each as much as all of it: one is debited in part, and the other for what is left.
  const [part, rest] = [
    await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qe', shared, 120_00),
    await returned('pay_01jd4yhz1je5j8v2r0h3m6x9qf', shared, 120_00),
  ];
  await debitReturnedPayment(story.debited, null, 'key_1', platform);
  await debitReturnedPayment(story.waiting, '50.00', 'key_1', platform);
  await debitReturnedPayment(story.whole, null, 'key_1', platform);
  await debitReturnedPayment(story.parted, '40.00', 'key_1', platform);
  await debitReturnedPayment(story.parted, null, 'key_1', platform);
  await debitReturnedPayment(part, '50.00', 'key_1', platform);
  await debitReturnedPayment(rest, null, 'key_1', platform);
  return story;
}
