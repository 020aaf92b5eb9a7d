import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { DataTypes, Model, Sequelize } from 'sequelize';
import { poolSize, readWork } from './work.ts';

/** Sequelize models of the hand-written peer, on the product's tables. */

export const work = readWork();

export const sequelize = new Sequelize(work.databaseUrl, {
  logging: false,
  pool: { max: poolSize },
  define: { underscored: true, timestamps: false },
});

export class Wallet extends Model<InferAttributes<Wallet>> {
  declare id: number;
  declare teamId: string;
  declare mode: string;
  declare balanceCents: string;
  declare heldCents: string;
  declare eventCount: string;
  declare lastTransactionAt: Date | null;
}
Wallet.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    teamId: DataTypes.TEXT,
    mode: DataTypes.TEXT,
    balanceCents: DataTypes.BIGINT,
    heldCents: DataTypes.BIGINT,
    eventCount: DataTypes.BIGINT,
    lastTransactionAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'wallets' },
);

export class Entry extends Model<InferAttributes<Entry>> {
  declare id: string;
  declare walletId: number;
  declare sequence: string;
  declare type: string;
  declare amountCents: string;
  declare description: string;
  declare referenceType: string;
  declare referenceId: string;
  declare balanceAfterCents: string;
  declare paymentMethod: string | null;
  declare createdAt: CreationOptional<Date>;
}
Entry.init(
  {
    id: { type: DataTypes.TEXT, primaryKey: true },
    walletId: DataTypes.INTEGER,
    sequence: DataTypes.BIGINT,
    type: DataTypes.TEXT,
    amountCents: DataTypes.BIGINT,
    description: DataTypes.TEXT,
    referenceType: DataTypes.TEXT,
    referenceId: DataTypes.TEXT,
    balanceAfterCents: DataTypes.BIGINT,
    paymentMethod: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'wallet_entries' },
);

export class Team extends Model<InferAttributes<Team>> {
  declare id: string;
  declare name: string;
}
Team.init(
  { id: { type: DataTypes.TEXT, primaryKey: true }, name: DataTypes.TEXT },
  { sequelize, tableName: 'teams' },
);

export class RechargeDay extends Model<InferAttributes<RechargeDay>, InferCreationAttributes<RechargeDay>> {
  declare walletId: number;
  declare day: string;
  declare requestedCents: string;
}
RechargeDay.init(
  {
    walletId: { type: DataTypes.INTEGER, primaryKey: true },
    day: { type: DataTypes.DATEONLY, primaryKey: true },
    requestedCents: DataTypes.BIGINT,
  },
  { sequelize, tableName: 'recharge_days' },
);

export const Recharge = sequelize.define(
  'Recharge',
  {
    id: { type: DataTypes.TEXT, primaryKey: true },
    walletId: DataTypes.INTEGER,
    teamId: DataTypes.TEXT,
    mode: DataTypes.TEXT,
    amountCents: DataTypes.BIGINT,
    paymentMethod: DataTypes.TEXT,
    status: DataTypes.TEXT,
    provider: DataTypes.TEXT,
    charge: DataTypes.JSON,
    createdAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
  },
  { tableName: 'recharges' },
);
export const Event = sequelize.define(
  'Event',
  {
    walletId: { type: DataTypes.INTEGER, primaryKey: true },
    sequence: { type: DataTypes.BIGINT, primaryKey: true },
    id: DataTypes.TEXT,
    teamId: DataTypes.TEXT,
    mode: DataTypes.TEXT,
    type: DataTypes.TEXT,
    subjectId: DataTypes.TEXT,
    data: DataTypes.JSON,
    createdAt: DataTypes.DATE,
  },
  { tableName: 'events' },
);
export const IdempotencyKey = sequelize.define<
  Model<{ scope: string; key: string; fingerprint: Buffer; outcome: string; createdAt: Date }>
>(
  'IdempotencyKey',
  {
    scope: { type: DataTypes.TEXT, primaryKey: true },
    key: { type: DataTypes.TEXT, primaryKey: true },
    fingerprint: DataTypes.BLOB,
    outcome: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
  },
  { tableName: 'idempotency_keys' },
);
