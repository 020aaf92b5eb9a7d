import { Column, DataType, Model, Table } from 'sequelize-typescript';

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
  declare mode: 'live' | 'test';

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
