import { expect, it } from 'vitest';
import { EventFeed } from '../../src/domain/events/feed.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { createLog } from '../../src/infrastructure/log.ts';

it('a feed that is closed leaves nobody trying to join while the table cannot be read', async () => {
  // Nothing can be asked of this database.
  const platform = { sequelize: {}, log: createLog('silent') } as unknown as Platform;
  const feed = new EventFeed(platform);
  let looks = 0;
  const tenant: Tenant = {
    teamId: 'team',
    mode: 'live',
    get walletId() {
      looks += 1;
      // Trying without a pause would never let this test end.
      if (looks > 100) throw new Error('still trying');
      return 1;
    },
  };
  const joining = feed.follow(tenant, { hear: () => undefined, rewind: () => undefined });
  await feed.close();
  await expect(joining).resolves.toBeInstanceOf(Function);
});
