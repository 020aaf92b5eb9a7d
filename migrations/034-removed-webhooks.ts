import type { QueryInterface } from 'sequelize';

/**
 * A webhook that was removed keeps nothing to be sent with. Builds before kept its headers and secrets, which are of no use
 * to anybody; later ones wrote empty lists, sealed as well.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER TABLE webhooks ALTER sealed_headers DROP NOT NULL, ALTER sealed_secrets DROP NOT NULL,
      ADD CONSTRAINT webhooks_sealed_check
        CHECK (deleted_at IS NOT NULL OR sealed_headers IS NOT NULL AND sealed_secrets IS NOT NULL);
    UPDATE webhooks SET sealed_headers = NULL, sealed_secrets = NULL WHERE deleted_at IS NOT NULL;
  `);
}

/**
 * Builds before can do nothing with one that has none. Its deliveries, which name it, are shown to nobody, and those that
 * wait, which nothing would skip any more, would be told of as a backlog for ever.
 */
export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    UPDATE webhook_deliveries d SET status = 'skipped', leased_until = NULL, lease_token = NULL FROM webhooks w
     WHERE w.id = d.webhook_id AND d.status = 'pending' AND (w.sealed_headers IS NULL OR w.sealed_secrets IS NULL);
    DELETE FROM webhook_alerts a USING webhooks w
     WHERE w.id = a.webhook_id AND (w.sealed_headers IS NULL OR w.sealed_secrets IS NULL);
    DELETE FROM webhooks WHERE sealed_headers IS NULL OR sealed_secrets IS NULL;
    ALTER TABLE webhooks DROP CONSTRAINT webhooks_sealed_check,
      ALTER sealed_headers SET NOT NULL, ALTER sealed_secrets SET NOT NULL;
  `);
}
