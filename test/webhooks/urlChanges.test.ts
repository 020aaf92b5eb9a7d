import { expect, it } from 'vitest';
import type { Platform } from '../../src/domain/platform.ts';
import { UrlChanges } from '../../src/domain/webhooks/urlChanges.ts';

it('that webhooks under way cannot be compared with their changes is said once, not four times a second', async () => {
  const warnings: string[] = [];
  const log = { warn: (_fields: object, text: string) => warnings.push(text), debug: () => undefined };
  // Nothing can be asked of this database.
  const platform = { sequelize: {}, log } as unknown as Platform;
  const attempts = new Set([{ delivery: { webhook_id: 'wh_1' }, takenMs: 0 }]) as unknown;
  const changes = new UrlChanges(attempts as ConstructorParameters<typeof UrlChanges>[0], platform);
  for (let check = 0; check < 3; check += 1) await changes.check(() => true);
  expect(warnings).toEqual(['webhooks under way not compared with their changes; trying again']);
});
