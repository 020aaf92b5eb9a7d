import type { QueryInterface } from 'sequelize';

/** As they were then: what seals another column from now on makes a trigger for it. */
const sealedColumns = [
  ['webhooks', 'sealed_headers'],
  ['webhooks', 'sealed_secrets'],
  ['teams', 'sealed_tax_id'],
  ['teams', 'sealed_address'],
  ['bookings', 'sealed_travellers'],
  ['idempotency_keys', 'outcome'],
] as const;

/**
 * The id of the key that seals a value is written down with the value, whichever build seals it: a process whose key had
 * been forgotten meanwhile sealed for up to a minute before it wrote that down, and might end before. Whoever forgets a key
 * locks it against these and looks again, since what is not committed is not seen. The functions know where the tables are,
 * whoever writes: a dump of nothing but data leaves no search_path.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE FUNCTION note_encryption_key(sealed text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      key_id text := translate(substr(sealed, 2, 8), '!#$%&*.:;<>?@^|\`', '0123456789abcdef');
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(7061206, hashtext(key_id));
      INSERT INTO encryption_keys (id) VALUES (key_id) ON CONFLICT DO NOTHING;
    END $$;
  `);
  for (const [table, column] of sealedColumns)
    await queryInterface.sequelize.query(`
      CREATE FUNCTION note_key_of_${table}_${column}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        PERFORM note_encryption_key(NEW.${column});
        RETURN NEW;
      END $$;
      CREATE TRIGGER ${column}_notes_key BEFORE INSERT OR UPDATE OF ${column} ON ${table}
        FOR EACH ROW WHEN (left(NEW.${column}, 1) = '~') EXECUTE FUNCTION note_key_of_${table}_${column}();
    `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  for (const [table, column] of sealedColumns)
    await queryInterface.sequelize.query(
      `DROP TRIGGER ${column}_notes_key ON ${table}; DROP FUNCTION note_key_of_${table}_${column};`,
    );
  await queryInterface.sequelize.query('DROP FUNCTION note_encryption_key;');
}
