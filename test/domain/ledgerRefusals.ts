/**
 * A live wallet with 150.00 (one credit) of which a held booking reserves 10.00, a test wallet with the same credit, the
 * recharges behind them, and a booking paid by another team.
 */
export interface Wallets {
  live: number;
  test: number;
  recharge: string;
  pending: string;
  held: string;
  paid: string;
}

/** What the database itself refuses, whoever asks: SQL, and the constraint or words of the refusal. */
export type RefusalsOf<Written> = Record<string, (written: Written) => [sql: string, refusal: RegExp]>;
