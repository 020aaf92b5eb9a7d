import { expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { secondMs } from '../harness/testClock.ts';
import type { LogStage } from './logStage.ts';

/** How a log is read that is long, or becomes longer, as part of what is told of it. */
export function describeLongLogs(stage: LogStage): void {
  const { clock, read, subscribed } = stage;

  it('stays as cheap as it begins however long it is, and finds the rare among the many', async () => {
    const { key, id, tenant, record } = await subscribed('/long');
    await stage.world.change(key, id, { active: false });
    const first = await record('booking.created');
    await stage.world.server.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'),
              CASE WHEN n IN (15001, 15000) THEN 'booking.created' ELSE 'wallet.debit' END, 'delivered', t, t, 1
         FROM generate_series(1, 25000) n, LATERAL (SELECT $2::timestamptz + n * interval '1 second' AS t) t`,
      [id, clock.now()],
    );
    await stage.world.server.query('ANALYZE webhook_deliveries');
    const rare = { webhookId: id, eventType: ['booking.created'] };
    const pages: Json[] = [];
    let before: string | null = null;
    do {
      const page: Json = await read('list', key, { ...rare, before });
      pages.push(page);
      before = page.next;
    } while (before !== null);
    // 25 001 rows, of which each page looks at 10 000: these are the last of one page and the first of the next.
    const numbered = (number: number) => `evt_${String(number).padStart(26, '0')}`;
    expect(pages.map(({ items }) => items.map(({ eventId }: Json) => eventId))).toEqual([
      [numbered(15_001)],
      [numbered(15_000)],
      [first],
    ]);
    const skipped = await read('list', key, { webhookId: id, status: ['skipped'] });
    expect(skipped).toMatchObject({ items: [{ eventId: first }], next: null });
    const until = new Date(clock.now().getTime() + 5 * secondMs).toISOString();
    const early = await read('list', key, { webhookId: id, until, limit: 3 });
    expect(early.items.map(({ eventId }: Json) => Number(eventId.slice(4)))).toEqual([4, 3, 2]);
    expect(tenant.mode).toBe('test');
  });

  it('gives what is rare once, while deliveries keep coming', async () => {
    const { key, id } = await subscribed('/coming');
    await stage.world.change(key, id, { active: false });
    let numbered = 0;
    const come = async (count: number) => {
      await stage.world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
         SELECT $1, 'evt_1' || lpad(n::text, 25, '0'), CASE n % 150 WHEN 0 THEN 'booking.created' ELSE 'wallet.debit' END,
                'delivered', t, t, 1
           FROM generate_series($3::integer + 1, $3::integer + $4::integer) n,
                LATERAL (SELECT $2::timestamptz + n * interval '1 millisecond' AS t) t`,
        [id, clock.now(), numbered, count],
      );
      numbered += count;
    };
    await come(12_000);
    for (let walk = 0; walk < 3; walk += 1) {
      let isWalking = true;
      const coming = (async () => {
        while (isWalking) await come(300);
      })();
      const found: string[] = [];
      let before: string | null = null;
      do {
        const variables = { webhookId: id, eventType: ['booking.created'], limit: 100, before };
        const page: Json = await read('list', key, variables);
        found.push(...page.items.map(({ eventId }: Json) => eventId));
        before = page.next;
      } while (before !== null);
      isWalking = false;
      await coming;
      // Each 150th, down to the first.
      const newest = Number(found[0]?.slice(5)) / 150;
      expect(found).toHaveLength(newest);
      expect(new Set(found).size).toBe(newest);
    }
  });
}
