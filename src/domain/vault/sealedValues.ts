import type { Sequelize } from 'sequelize';
import { readAtLength } from '../../infrastructure/database/readAtLength.ts';
import { run, type Statement, statement } from '../../infrastructure/database/statement.ts';
import { markLength, markStart } from '../../infrastructure/secrets/vault.ts';

/**
 * Everything that is stored sealed. What seals a new column adds it here, or its values are lost with the key that sealed
 * them: a test compares this with the database.
 */

/** A sealed value and the row that has it. */
export interface SealedValue {
  /** Of the columns that tell the row from others. */
  readonly row: readonly string[];
  readonly sealed: string;
}

interface Place {
  readonly kind: string;
  readonly table: string;
  readonly column: string;
  /** Primary key, all of it text. */
  readonly key: readonly string[];
  /** SQL condition on `t` where the column also holds what is not sealed. */
  readonly isSealed?: string;
}

/** A page of values: those next after a row, by its key. */
type ReadPage = (after: readonly string[], sequelize: Sequelize) => Promise<SealedValue[]>;

/** What looks for a mark goes through all there is, where few or none have it. */
export interface SealedValues {
  /** In the words of who reads what `keys:reseal` says. */
  readonly kind: string;
  readonly column: string;
  readonly all: ReadPage;
  /** Those that are older than marks. */
  readonly unmarked: ReadPage;
  /** Of the rows $1 those whose value is still what $2 says get what $3 says. Rows that somebody has locked are left. */
  readonly replace: Statement<{ row: string[] }>;
  /** @returns how many have another mark, or none. */
  readonly countOthers: (mark: string, sequelize: Sequelize) => Promise<number>;
  /** @returns whether one has the mark. */
  readonly isMarked: (mark: string, sequelize: Sequelize) => Promise<boolean>;
}

/** Few enough that nobody waits for their locks to be given back. */
const pageSize = 100;

function valuesOf({ kind, table, column, key, isSealed }: Place): SealedValues {
  const name = `${table}_${column}`;
  const columns = key.map((part) => `t.${part}`);
  const rowKey = columns.join(', ');
  const values = `FROM ${table} t WHERE ${isSealed ?? `t.${column} IS NOT NULL`}`;
  const mark = `left(t.${column}, ${markLength})`;
  const page = (condition: string) =>
    `SELECT ARRAY[${rowKey}] AS row, t.${column} AS sealed ${values} ${condition}
        AND (${rowKey}) > (${key.map((_, index) => `($1::text[])[${index + 1}]`)})
      ORDER BY ${rowKey} LIMIT ${pageSize}`;
  // Arrays of one dimension: the rows' keys lie in $1 one after the other.
  const parts = key.map(
    (part, index) => `($1::text[])[(n::integer - 1) * ${key.length} + ${index + 1}] AS ${part}`,
  );
  const all = statement<SealedValue>(`read_sealed_${name}`, page(''));
  const unmarked = page(`AND left(t.${column}, 1) <> '${markStart}'`);
  return {
    kind,
    column: `${table}.${column}`,
    all: (after, sequelize) => run(sequelize, all, [after]),
    unmarked: (after, sequelize) => readAtLength(sequelize, unmarked, [after]),
    // What waits for no lock is in nobody's way: whoever holds rows and waits for others would be given up for a deadlock.
    replace: statement(
      `reseal_${name}`,
      `WITH anew AS (
         SELECT ${parts}, v.before, v.after
           FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS v (before, after, n)
       ), free AS (
         SELECT ${rowKey} FROM ${table} t JOIN anew USING (${key}) WHERE t.${column} = anew.before
            FOR NO KEY UPDATE OF t SKIP LOCKED
       )
       UPDATE ${table} t SET ${column} = anew.after FROM anew JOIN free USING (${key})
        WHERE (${rowKey}) = (${key.map((part) => `anew.${part}`)}) AND t.${column} = anew.before
       RETURNING ARRAY[${rowKey}] AS row`,
    ),
    async countOthers(...[ownMark, sequelize]) {
      const text = `SELECT count(*)::integer AS others ${values} AND ${mark} <> $1`;
      const [row] = await readAtLength<{ others: number }>(sequelize, text, [ownMark]);
      return row?.others ?? 0;
    },
    async isMarked(...[soughtMark, sequelize]) {
      const text = `SELECT EXISTS (SELECT ${values} AND ${mark} = $1) AS found`;
      const [row] = await readAtLength<{ found: boolean }>(sequelize, text, [soughtMark]);
      return row?.found ?? false;
    },
  };
}

const places: readonly Place[] = [
  { kind: 'headers of webhooks', table: 'webhooks', column: 'sealed_headers', key: ['id'] },
  { kind: 'secrets of webhooks', table: 'webhooks', column: 'sealed_secrets', key: ['id'] },
  { kind: 'tax ids of teams', table: 'teams', column: 'sealed_tax_id', key: ['id'] },
  { kind: 'addresses of teams', table: 'teams', column: 'sealed_address', key: ['id'] },
  { kind: 'travellers of bookings', table: 'bookings', column: 'sealed_travellers', key: ['id'] },
  {
    kind: 'answers of Idempotency-Keys',
    table: 'idempotency_keys',
    column: 'outcome',
    key: ['scope', 'key'],
    // The others are JSON objects.
    isSealed: "t.outcome NOT LIKE '{%'",
  },
];

export const sealedValues: readonly SealedValues[] = places.map(valuesOf);

const samplesOf = ({ table, column, key }: Place): string[] =>
  ['ASC', 'DESC'].map(
    (direction) => `(SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL
      ORDER BY ${key.map((part) => `${part} ${direction}`)} LIMIT 1)`,
  );

/** The first and the last of each kind, but for those that would have to be looked for among others. */
export const readSamples = statement<{ sealed: string }>(
  'read_sealed_samples',
  places
    .filter(({ isSealed }) => !isSealed)
    .flatMap(samplesOf)
    .join(' UNION ALL '),
);

/** The pages of `all` or `unmarked`, each read when it is asked for. */
export async function* pagesOf(
  readPage: ReadPage,
  sequelize: Sequelize,
): AsyncGenerator<SealedValue[], void, undefined> {
  // Sorts before every key.
  let last: readonly string[] = ['', ''];
  for (;;) {
    const values = await readPage(last, sequelize);
    yield values;
    const end = values.at(-1);
    if (!end) return;
    last = end.row;
  }
}
