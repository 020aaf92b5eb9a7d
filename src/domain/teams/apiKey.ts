import { Column, DataType, Model, Table } from 'sequelize-typescript';
import type { Mode } from '../tenant.ts';
import type { Scope } from './scope.ts';

/** What a key acts on: one of its team's modes, or the accounts. */
export type KeyKind = Mode | 'operator';

/** A bearer key. Only its SHA-256 is kept: 256 random bits need no salt and no slow hash. */
@Table({ tableName: 'api_keys', underscored: true, timestamps: false })
export class ApiKey extends Model {
  @Column({ type: DataType.TEXT, primaryKey: true })
  declare id: string;

  /** Null for an operator's key. */
  @Column(DataType.TEXT)
  declare teamId: string | null;

  @Column(DataType.TEXT)
  declare kind: KeyKind;

  @Column(DataType.TEXT)
  declare name: string;

  @Column(DataType.BLOB)
  declare hash: Buffer;

  @Column(DataType.TEXT)
  declare lastFour: string;

  @Column(DataType.ARRAY(DataType.TEXT))
  declare scopes: Scope[];

  @Column(DataType.DATE)
  declare createdAt: Date;

  @Column(DataType.DATE)
  declare revokedAt: Date | null;
}
