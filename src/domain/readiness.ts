import { checkDatabase } from '../infrastructure/database/database.ts';
import { pendingMigrations } from '../infrastructure/database/migrations.ts';
import type { HealthCheck } from '../infrastructure/http/probes.ts';
import type { Platform } from './platform.ts';

/** What must answer for a process to be ready: the database, all migrations of this folder, and Redis where there is one. */
export function readinessChecks(
  { sequelize, settings, signals }: Platform,
  migrationsFolder: string,
): HealthCheck[] {
  return [
    { name: 'database', check: () => checkDatabase(sequelize) },
    {
      name: 'migrations',
      check: async () => {
        if ((await pendingMigrations(sequelize, migrationsFolder)).length > 0) throw new Error('pending');
      },
    },
    ...(settings.REDIS_URL ? [{ name: 'redis', check: () => signals.check() }] : []),
  ];
}
