import type { Sequelize } from 'sequelize';
import { coalesce } from '../../infrastructure/database/coalesce.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';

/** All in centavos. A debit or a hold may use `availableCents`. */
export interface Balance {
  balanceCents: bigint;
  availableCents: bigint;
  pendingCents: bigint;
  lastTransactionAt: Date | null;
}

interface BalanceRow {
  id: number;
  balance_cents: string;
  held_cents: string;
  last_transaction_at: Date | null;
}

const columns = 'id, balance_cents, held_cents, last_transaction_at';
const readOne = statement<BalanceRow>('read_balance', `SELECT ${columns} FROM wallets WHERE id = $1`);
const readMany = statement<BalanceRow>(
  'read_balances',
  `SELECT ${columns} FROM wallets WHERE id = ANY($1::integer[])`,
);

/** The row of a test wallet says 5000.00 and nothing held, whatever its bookings cost: no move changes it (`entrySql.ts`). */
function toBalance(row: BalanceRow): Balance {
  const balanceCents = BigInt(row.balance_cents);
  const pendingCents = BigInt(row.held_cents);
  return {
    balanceCents,
    availableCents: balanceCents - pendingCents,
    pendingCents,
    lastTransactionAt: row.last_transaction_at,
  };
}

async function readBalances(sequelize: Sequelize, ids: number[]): Promise<Map<number, Balance>> {
  const rows = await run(sequelize, ids.length === 1 ? readOne : readMany, [ids.length === 1 ? ids[0] : ids]);
  return new Map(rows.map((row) => [row.id, toBalance(row)]));
}

const readers = new WeakMap<Sequelize, (walletId: number) => Promise<Balance | undefined>>();

/** Reads of wallets that wait at the same moment share one statement; each is sent after its request arrived. */
function coalescedReader(sequelize: Sequelize): (walletId: number) => Promise<Balance | undefined> {
  return keptOfObject(readers, sequelize, () =>
    coalesce<number, Balance>((ids) => readBalances(sequelize, ids)),
  );
}

/** The wallet's balance now (SPEC, GET wallet/balance). */
export async function readBalance({ walletId }: Tenant, platform: Platform): Promise<Balance> {
  const { sequelize, settings } = platform;
  if (!settings.COALESCE_READS) {
    const [row] = await run(sequelize, readOne, [walletId]);
    if (row) return toBalance(row);
  } else {
    const balance = await coalescedReader(sequelize)(walletId);
    if (balance) return balance;
  }
  throw new Error(`wallet ${walletId} is missing`);
}
