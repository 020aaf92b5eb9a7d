import { advisoryLocks } from '../../infrastructure/database/advisoryLocks.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inTransaction } from '../../infrastructure/database/transaction.ts';
import type { Platform } from '../platform.ts';
import type { KeyKind } from './apiKey.ts';
import { ApiKey } from './apiKey.ts';
import { createApiKey } from './keys.ts';
import { createTeam } from './management.ts';
import { hashSecretKey } from './secretKey.ts';
import { Team } from './team.ts';

export interface BootstrapKeys {
  live: string;
  test: string;
  operator: string;
}

const keySettings = ['BOOTSTRAP_LIVE_KEY', 'BOOTSTRAP_TEST_KEY', 'BOOTSTRAP_ADMIN_KEY'] as const;

export type KeySetting = (typeof keySettings)[number];

export interface Bootstrap {
  /** To be shown once; null when the database was not empty. */
  readonly keys: BootstrapKeys | null;
  /** Settings whose keys are none: only an empty database takes them. */
  readonly ignored: readonly KeySetting[];
}

const nameOf = (kind: KeyKind): string => `Demo ${kind} key`;

/**
 * Gives an empty database a demo agency (DESIGN §5) and its three keys.
 * @param onKeys called before these are committed.
 */
export function bootstrapDemoTeam(
  platform: Platform,
  onKeys: () => void = () => undefined,
): Promise<Bootstrap> {
  const { sequelize, settings } = platform;
  return inTransaction(sequelize, async () => {
    // Several processes may start on the same empty database at once.
    await sequelize.query(`SELECT pg_advisory_xact_lock(${advisoryLocks.bootstrap})`);
    const [teams, apiKeys] = [sequelize.getRepository(Team), sequelize.getRepository(ApiKey)];
    if ((await teams.count()) > 0 || (await apiKeys.count()) > 0) {
      const ignored = await ignoredSettings(platform);
      await tellOfUnusedKeys(ignored, platform);
      return { keys: null, ignored };
    }
    const team = await createTeam(
      {
        name: 'Agência Demonstração',
        markupPercent: '10',
        feeAmount: '35.00',
        alertEmail: 'ops@example.com',
        taxId: null,
        address: null,
        corsDomains: [],
      },
      platform,
    );
    const issue = async (kind: KeyKind, secret: string | undefined) => {
      const request = {
        kind,
        teamId: kind === 'operator' ? null : team.id,
        name: nameOf(kind),
        scopes: null,
      };
      return (await createApiKey({ ...request, ...(secret ? { secret } : {}) }, platform)).secret;
    };
    const keys = {
      live: await issue('live', settings.BOOTSTRAP_LIVE_KEY),
      test: await issue('test', settings.BOOTSTRAP_TEST_KEY),
      operator: await issue('operator', settings.BOOTSTRAP_ADMIN_KEY),
    };
    onKeys();
    return { keys, ignored: [] };
  });
}

/** Which of the keys that were chosen the database has not, and does not take any more; told in the log, too. */
async function ignoredSettings({ sequelize, settings, log }: Platform): Promise<KeySetting[]> {
  const ignored: KeySetting[] = [];
  for (const name of keySettings) {
    const key = settings[name];
    if (key === undefined) continue;
    const hash = Buffer.from(hashSecretKey(key), 'hex');
    if ((await sequelize.getRepository(ApiKey).count({ where: { hash, revokedAt: null } })) > 0) continue;
    log.warn({ setting: name }, 'ignored: the database is not empty, and has no such key');
    ignored.push(name);
  }
  return ignored;
}

/** Whether there are teams and keys beside theirs, or events tell that some were used: reads leave nothing. */
const readUse = statement<{ used: boolean }>(
  'read_use_of_keys',
  `SELECT (SELECT count(*) FROM teams) > 1
       OR EXISTS (SELECT FROM api_keys WHERE name NOT IN ($1, $2, $3) OR revoked_at IS NOT NULL)
       OR EXISTS (SELECT FROM events WHERE type <> 'api_key.created') AS used`,
);

/**
 * The start that made the keys may have been killed before it had shown them. Whoever has none of them is told where others
 * come from, as long as nothing tells that somebody has: an operator's key that was chosen makes all others.
 */
async function tellOfUnusedKeys(
  ignored: readonly KeySetting[],
  { sequelize, settings, log }: Platform,
): Promise<void> {
  if (settings.BOOTSTRAP_ADMIN_KEY !== undefined && !ignored.includes('BOOTSTRAP_ADMIN_KEY')) return;
  const [state] = await run(sequelize, readUse, [nameOf('live'), nameOf('test'), nameOf('operator')]);
  if (state?.used !== false) return;
  log.info(
    'the keys of the demo team were shown by the start that made them, and seem unused: npm run operator:key makes another (README, Commands)',
  );
}
