import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Platform } from '../../src/domain/platform.ts';
import { UrlChanges } from '../../src/domain/webhooks/urlChanges.ts';
import { transactionContext } from '../../src/infrastructure/database/transactionContext.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

it('that webhooks under way cannot be compared with their changes is said once, not four times a second', async () => {
  const warnings: string[] = [];
  const log = { warn: (_fields: object, text: string) => warnings.push(text), debug: () => undefined };
  // Nothing can be asked of this database.
  const platform = { sequelize: {}, log } as unknown as Platform;
  const attempts = new Set([
    { delivery: { webhook_id: 'wh_1' }, takenAt: { monotonicMs: 0, machineMs: 0 } },
  ]) as unknown;
  const changes = new UrlChanges(attempts as ConstructorParameters<typeof UrlChanges>[0], platform);
  for (let check = 0; check < 3; check += 1) await changes.check(() => true);
  expect(warnings).toEqual(['webhooks under way not compared with their changes; trying again']);
});

describe('a database that is asked where webhooks are', () => {
  afterEach(() => void vi.useRealTimers());

  const inTransaction = (work: () => Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      transactionContext.run(() => work().then(resolve, reject));
    });

  /** Compares webhooks, to which attempts began so long before, and notes which the database is asked for. */
  function begun(attempts: Record<string, number>, answersAfterMs: number) {
    vi.useFakeTimers();
    const now = performance.now();
    const asked: unknown[] = [];
    const nothing = () => undefined;
    const connection = {
      stream: { cork: nothing, uncork: nothing },
      parsedStatements: {},
      submittedNamedStatements: {},
      parse: nothing,
      bind: ({ values }: { values: unknown[] }) => void asked.push(...values),
      describe: nothing,
      execute: nothing,
      sync: nothing,
    };
    const client = {
      query(query: { submit(to: object): void; callback(error: null, rows: unknown[]): void }) {
        query.submit(connection);
        setTimeout(() => query.callback(null, []), answersAfterMs);
      },
    };
    const underWay = Object.entries(attempts).map(([id, ageMs]) => ({
      delivery: { webhook_id: id, url: `https://receiver.example/${id}` },
      takenAt: { monotonicMs: now - ageMs, machineMs: 0 },
      recall: { call: nothing },
    }));
    const platform = { sequelize: {}, log: {} } as unknown as Platform;
    const known = new Set(underWay) as unknown as ConstructorParameters<typeof UrlChanges>[0];
    const changes = new UrlChanges(known, platform);
    onTestFinished(() => changes.stop());
    // What is asked in a transaction is asked on its connection.
    transactionContext.set('transaction', { connection: client });
    return { asked, changes };
  }

  it('is asked for none while nothing is under way', () =>
    inTransaction(async () => {
      const { asked, changes } = begun({}, 0);
      changes.start();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(asked).toEqual([]);
    }));

  it('is asked for those of attempts that take long, and for others only when a signal tells of them', () =>
    inTransaction(async () => {
      const { asked, changes } = begun({ wh_old: 1_000, wh_new: -200 }, 0);
      changes.start();
      await vi.advanceTimersByTimeAsync(250);
      expect(asked).toEqual(['{"wh_old"}']);
      const checked = changes.check((id) => id === 'wh_new');
      await vi.advanceTimersByTimeAsync(1);
      await checked;
      expect(asked).toEqual(['{"wh_old"}', '{"wh_new"}']);
      await vi.advanceTimersByTimeAsync(250);
      expect(asked).toEqual(['{"wh_old"}', '{"wh_new"}', '{"wh_old","wh_new"}']);
    }));

  it('is asked again only when it has answered', () =>
    inTransaction(async () => {
      const { asked, changes } = begun({ wh_old: 1_000 }, 1_100);
      changes.start();
      await vi.advanceTimersByTimeAsync(1_300);
      expect(asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(200);
      expect(asked).toHaveLength(2);
    }));
});

describeOneEngine('webhooks under way that cannot be compared with their changes for a while', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_TIMEOUT: '60s' } });
  });
  afterAll(() => world?.close());

  it('that they can be again is said each time, and so is the next time that they cannot', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/compared');
    world.hold('/compared');
    await world.happens(tenant);
    await eventually(() => world.received('/compared').length === 1);
    const said = (words: string) =>
      world.server.logLines.filter((line) => JSON.parse(line).level > 20 && line.includes(words)).length;
    for (const times of [1, 2]) {
      await world.server.query('ALTER TABLE webhooks RENAME TO webhooks_away');
      try {
        await eventually(() => said('webhooks under way not compared with their changes') === times);
      } finally {
        await world.server.query('ALTER TABLE webhooks_away RENAME TO webhooks');
      }
      await eventually(() => said('webhooks under way are compared with their changes again') === times);
    }
    await world.remove(key, id);
    await world.until(id, ({ reasons }) => reasons.includes('cancelled'));
  });
});
