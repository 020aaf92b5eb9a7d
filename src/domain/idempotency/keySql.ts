/** The row that stores an answer under its key. */
export interface IdempotencyRow {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly outcome: string;
  readonly createdAt: Date;
  /** Rows made until then are past the window. */
  readonly oldest: Date;
}

/** SQL that stores the rows of a SELECT or VALUES as keys, in place of those that are past the window since `oldest`. */
export const storeKeysSql = (rows: string, oldest: string) => `INSERT INTO idempotency_keys AS k
           (scope, key, fingerprint, outcome, created_at)
    ${rows}
    ON CONFLICT (scope, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at
      WHERE k.created_at <= ${oldest}`;

/**
 * SQL that stores a key with the effect of its statement: `effect` names the CTE that has a row when there is one, and
 * the parameters from number `first` on are `keyValues`. The statement's last SELECT must ask `keyIsStored` of that row.
 */
export const keyCtes = (effect: string, first: number) => `
  stored_key AS (
    ${storeKeysSql(
      `SELECT $${first}::text, $${first + 1}::text, $${first + 2}::bytea, $${first + 3}::text, $${first + 4}::timestamptz
      FROM ${effect} WHERE $${first + 1}::text IS NOT NULL`,
      `$${first + 5}::timestamptz`,
    )}
    RETURNING 1
  )`;

/** SQL condition on the row of the effect that undoes the statement when another request has taken the key. */
export const keyIsStored = (first: number) =>
  `key_is_stored($${first + 1}::text IS NULL OR EXISTS (SELECT FROM stored_key))`;

/** The six parameters of `keyCtes`. */
export const keyValues = (key: IdempotencyRow | null): unknown[] =>
  key
    ? [key.scope, key.key, key.fingerprint, key.outcome, key.createdAt, key.oldest]
    : [null, null, null, null, null, null];

/** SQLSTATE of a statement that `keyIsStored` undid. */
export const keyTakenCode = 'EMKEY';
