import type { BookingRow, BookingType } from '../../src/domain/bookings/booking.ts';
import { createBooking, newEventIds } from '../../src/domain/bookings/bookingSql.ts';
import { run, statement } from '../../src/infrastructure/database/statement.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { newIdentifier } from '../../src/infrastructure/identifier.ts';
import type { TestServer } from '../harness/server.ts';

const withoutTask = statement(
  'forget_order_task_of_test',
  'UPDATE bookings SET order_task = NULL, order_due_at = NULL WHERE id = $1',
);

export interface WrittenBooking {
  type?: BookingType;
  amountCents: bigint | number;
  /** Now unless said. */
  at?: Date;
  paymentRequiredBy?: Date;
}

/**
 * Books an amount with the product's own statement, without an offer: for tests of the ledger, which must be right
 * whatever the price was for. No supplier is asked for anything.
 * @returns null when the money does not suffice.
 */
export async function writeBooking(
  { running }: Pick<TestServer, 'running'>,
  walletId: number,
  { type = 'instant', amountCents, at, paymentRequiredBy }: WrittenBooking,
): Promise<BookingRow | null> {
  const { sequelize, clock, vault } = running.gateway.platform;
  const now = at ?? clock.now();
  const terms = {
    conditions: {
      refundBeforeDeparture: { allowed: true, penaltyAmount: '0.00', penaltyCurrency: 'BRL' },
      changeBeforeDeparture: { allowed: false, penaltyAmount: null, penaltyCurrency: null },
    },
    exchangeRate: '1',
    fareBrandName: 'Basic',
  };
  return inTransaction(sequelize, async () => {
    const [booking] = await run(sequelize, createBooking[type === 'hold' ? 'hold' : 'book'], [
      newIdentifier('ord'),
      walletId,
      amountCents.toString(),
      now,
      newEventIds(),
      newIdentifier('off'),
      'simulated',
      'LA',
      '[]',
      vault.seal('[]'),
      '[]',
      JSON.stringify(terms),
      new Date(now.getTime() + 30 * 24 * 3_600_000),
      type === 'hold' ? (paymentRequiredBy ?? new Date(now.getTime() + 3_600_000)) : null,
      type === 'hold' ? null : newIdentifier('txn'),
    ]);
    if (!booking) return null;
    await run(sequelize, withoutTask, [booking.id]);
    return booking;
  });
}

/** Ids of a team's wallets. */
export async function walletsOf(
  { query }: Pick<TestServer, 'query'>,
  teamId: string,
): Promise<Record<'live' | 'test', number>> {
  const rows = await query<{ id: number; mode: 'live' | 'test' }>(
    'SELECT id, mode FROM wallets WHERE team_id = $1',
    [teamId],
  );
  return Object.fromEntries(rows.map(({ mode, id }) => [mode, id])) as Record<'live' | 'test', number>;
}
