import { randomInt } from 'node:crypto';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import type { Platform } from '../platform.ts';
import type { Mode, Tenant } from '../tenant.ts';

/** SPEC Limits: the balance that a test wallet always shows, in centavos. */
export const testBalanceCents = 5_000_00n;

/** SPEC Limits: a balance that falls below this is told as wallet.low_balance, in centavos. */
export const lowBalanceCents = 500_00n;

/** The prepaid balance of a team in one mode, with the running totals of its ledger. BIGINTs come as digits. */
@Table({ tableName: 'wallets', underscored: true, timestamps: false })
export class Wallet extends Model {
  /** See `newWalletNumber`. */
  @Column({ type: DataType.INTEGER, primaryKey: true })
  declare id: number;

  @Column(DataType.TEXT)
  declare teamId: string;

  @Column(DataType.TEXT)
  declare mode: Mode;

  @Column(DataType.BIGINT)
  declare balanceCents: string;

  /** What pending bookings reserve. */
  @Column(DataType.BIGINT)
  declare heldCents: string;

  @Column(DataType.BIGINT)
  declare eventCount: string;

  @Column(DataType.DATE)
  declare lastTransactionAt: Date | null;

  @Column(DataType.DATE)
  declare createdAt: Date;
}

/** Those below are a sequence's, which gave them before they were drawn. */
const firstDrawn = 2 ** 30;

/**
 * The number of a new wallet, drawn: nobody ever gets it again. A server that takes over from one that died may not have heard
 * of the last that a sequence gave, and would give them to the wallets of another team, which the requests, subscriptions and
 * webhooks of the lost one would then be about. Where there are ten thousand wallets, one in a hundred thousand draws another's
 * number: its team is not created then, which is a fault of ours, and can be asked for again.
 */
export const newWalletNumber = (): number => randomInt(firstDrawn, 2 ** 31);

/** A team, which must exist, in a mode, for operators' work: the callers of agencies come with their tenant. */
export async function findTenant(
  teamId: string,
  mode: Mode,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<Tenant> {
  const wallets = sequelize.getRepository(Wallet);
  const { id: walletId } = await wallets.findOne({ where: { teamId, mode }, rejectOnEmpty: true });
  return { teamId, mode, walletId };
}
