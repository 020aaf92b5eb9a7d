import type { QueryInterface } from 'sequelize';

/**
 * A creation and its Idempotency-Key in one statement: the statement ends here when another request has taken the key,
 * and everything that it did is undone.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE FUNCTION key_is_stored(stored boolean) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT stored THEN
        RAISE EXCEPTION 'the idempotency key is taken' USING ERRCODE = 'EMKEY';
      END IF;
      RETURN true;
    END $$;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP FUNCTION key_is_stored;');
}
