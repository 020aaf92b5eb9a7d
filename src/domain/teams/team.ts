import { Column, DataType, Model, Table } from 'sequelize-typescript';

/** An agency: pricing settings, alert address, and the browser origins it may call from. */
@Table({ tableName: 'teams', underscored: true, timestamps: false })
export class Team extends Model {
  @Column({ type: DataType.TEXT, primaryKey: true })
  declare id: string;

  @Column(DataType.TEXT)
  declare name: string;

  /** Percent of the base cost, as a decimal string. */
  @Column(DataType.DECIMAL(7, 4))
  declare markupPercent: string;

  /** Fixed fee of each offer in centavos. */
  @Column(DataType.BIGINT)
  declare feeCents: string;

  @Column(DataType.TEXT)
  declare alertEmail: string | null;

  @Column(DataType.ARRAY(DataType.TEXT))
  declare corsDomains: string[];

  /** CPF or CNPJ; see payer.ts. */
  @Column(DataType.TEXT)
  declare sealedTaxId: string | null;

  /** JSON of its postal address. */
  @Column(DataType.TEXT)
  declare sealedAddress: string | null;

  @Column(DataType.DATE)
  declare createdAt: Date;

  @Column(DataType.DATE)
  declare updatedAt: Date;
}
