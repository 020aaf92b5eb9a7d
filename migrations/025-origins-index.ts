import type { QueryInterface } from 'sequelize';

/** Strangers may ask whether any team knows an origin, as browsers do before each first request: through an index. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('CREATE INDEX teams_cors_domains ON teams USING gin (cors_domains);');
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP INDEX teams_cors_domains;');
}
