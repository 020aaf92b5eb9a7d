import { randomInt } from 'node:crypto';
import type { BookingRow, BookingType } from '../../src/domain/bookings/booking.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { newReference } from '../../src/domain/bookings/reference.ts';
import { AppError } from '../../src/errors.ts';
import { run, statement } from '../../src/infrastructure/database/statement.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
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

/** A booking of an amount, without an offer and not yet written. */
export async function bookingOf(
  { running }: Pick<TestServer, 'running'>,
  walletId: number,
  { type = 'instant', amountCents, at, paymentRequiredBy }: WrittenBooking,
): Promise<BookingRow> {
  const { sequelize, clock, vault } = running.gateway.platform;
  const now = at ?? clock.now();
  const isHold = type === 'hold';
  return {
    id: newIdentifier('ord'),
    wallet_id: walletId,
    team_id: '',
    mode: 'live',
    booking_reference: await newReference(sequelize),
    carrier_reference: null,
    type,
    status: isHold ? 'pending' : 'confirmed',
    amount_cents: amountCents.toString(),
    offer_id: newIdentifier('off'),
    supplier: 'simulated',
    supplier_reference: 'LA',
    passengers: [],
    sealed_travellers: vault.seal('[]'),
    slices: [],
    documents: [],
    terms: {
      conditions: {
        refundBeforeDeparture: { allowed: true, penaltyAmount: '0.00', penaltyCurrency: 'BRL' },
        changeBeforeDeparture: { allowed: false, penaltyAmount: null, penaltyCurrency: null },
      },
      exchangeRate: '1',
      fareBrandName: 'Basic',
    },
    departs_at: new Date(now.getTime() + 30 * 24 * 3_600_000),
    payment_required_by: isHold ? (paymentRequiredBy ?? new Date(now.getTime() + 3_600_000)) : null,
    debit_id: isHold ? null : newIdentifier('txn'),
    refund_id: null,
    refund_cents: null,
    created_at: now,
    updated_at: now,
    confirmed_at: isHold ? null : now,
    ticketed_at: null,
    ended_at: null,
  };
}

/**
 * Books an amount with the product's own statement: for tests of the ledger, which must be right whatever the price was
 * for. No supplier is asked for anything.
 * @returns null when the money does not suffice.
 */
export async function writeBooking(
  server: Pick<TestServer, 'running'>,
  walletId: number,
  details: WrittenBooking,
): Promise<BookingRow | null> {
  const { platform } = server.running.gateway;
  const { sequelize } = platform;
  const booking = await bookingOf(server, walletId, details);
  return inTransaction(sequelize, async () => {
    try {
      await postBooking(booking, null, platform);
    } catch (error) {
      if (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE') return null;
      throw error;
    }
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

/**
 * Has wallets to come numbered as no other test's are: those who share a Redis hear each other's signals, which name
 * wallets by number.
 */
export async function numberWalletsApart({ query }: Pick<TestServer, 'query'>): Promise<void> {
  await query(`ALTER TABLE wallets ALTER COLUMN id RESTART WITH ${randomInt(1_000_000, 2_000_000_000)}`);
}

/** A team with BRL 1 000 in its live wallet: the wallets' ids, and a key of that one. */
export async function fundedTeam(
  server: Pick<TestServer, 'createTeam' | 'query' | 'rest'>,
): Promise<{ live: number; test: number; teamId: string; key: string }> {
  const { teamId, live: key } = await server.createTeam();
  const body = { amount: '1000.00', currency: 'BRL', payment_method: 'pix' };
  const recharge = await server.rest('POST', '/api/v1/wallet/recharge', { key, body });
  await server.rest('POST', `/simulator/recharges/${recharge.body.data.id}/pay`, { key });
  return { ...(await walletsOf(server, teamId)), teamId, key };
}
