import { Column, DataType, Model, Table } from 'sequelize-typescript';
import type { ChargeArtefacts, PaymentMethod } from '../../infrastructure/payments/provider.ts';
import type { Mode } from '../tenant.ts';

export type RechargeStatus = 'pending' | 'completed' | 'expired' | 'failed' | 'cancelled';

/** Money on its way into a wallet (SPEC, Recharge). */
@Table({ tableName: 'recharges', underscored: true, timestamps: false })
export class Recharge extends Model {
  @Column({ type: DataType.TEXT, primaryKey: true })
  declare id: string;

  @Column(DataType.INTEGER)
  declare walletId: number;

  @Column(DataType.TEXT)
  declare teamId: string;

  @Column(DataType.TEXT)
  declare mode: Mode;

  /** Centavos, as PostgreSQL's digits. */
  @Column(DataType.BIGINT)
  declare amountCents: string;

  @Column(DataType.TEXT)
  declare paymentMethod: PaymentMethod;

  @Column(DataType.TEXT)
  declare status: RechargeStatus;

  /** Name of the payment provider that made the charge. */
  @Column(DataType.TEXT)
  declare provider: string;

  @Column(DataType.JSON)
  declare charge: ChargeArtefacts;

  @Column(DataType.DATE)
  declare createdAt: Date;

  @Column(DataType.DATE)
  declare expiresAt: Date;

  @Column(DataType.DATE)
  declare paidAt: Date | null;

  @Column(DataType.TEXT)
  declare transactionId: string | null;
}
