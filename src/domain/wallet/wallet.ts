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
  @Column({ type: DataType.INTEGER, primaryKey: true, autoIncrement: true })
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
