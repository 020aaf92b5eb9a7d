import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { deactivateWebhook, describeMailServer, startSlowMailServer, waitingAlerts } from './mailServers.ts';

describeMailServer('An alert whose mail is slow to be refused', startSlowMailServer, (stage) => {
  it('stays with another worker that has taken it meanwhile', async () => {
    const { mail, world } = stage;
    const id = await deactivateWebhook(world);
    await eventually(() => mail.asked.length === 1);
    await deactivateWebhook(world);
    await eventually(async () => (await waitingAlerts(world)).length === 2);
    // As if the mail had been under way for so long that it was another worker's turn.
    const taken = await world.server.query(
      `UPDATE webhook_alerts SET leased_until = leased_until + interval '1 minute' WHERE webhook_id = $1
       RETURNING leased_until::text AS until`,
      [id],
    );
    mail.busy();
    // What was refused is given back before the next is tried.
    await eventually(() => mail.asked.length === 2);
    mail.busy();
    const left = await world.server.query(
      'SELECT leased_until::text AS until FROM webhook_alerts WHERE webhook_id = $1',
      [id],
    );
    expect(left).toEqual(taken);
  });

  // The embedded store has no other session.
  if (realEngine()) {
    it('is left to whoever is about to take it, and mailed once', async () => {
      const { mail, world } = stage;
      await world.server.query('UPDATE webhook_alerts SET sent_at = now()');
      const askedBefore = mail.asked.length;
      const id = await deactivateWebhook(world);
      await eventually(() => mail.asked.length === askedBefore + 1);
      mail.busy();
      const leaseIs = async (sql: string) =>
        (
          await world.server.query(
            `SELECT FROM webhook_alerts WHERE webhook_id = '${id}' AND leased_until ${sql}`,
          )
        ).length > 0;
      await eventually(() => leaseIs("< clock_timestamp() + interval '1 minute'"));

      // The first lock lets its lease be changed, and nobody take it.
      const other = await world.server.openSession();
      await other.query('BEGIN');
      await other.query('SELECT FROM webhook_alerts WHERE webhook_id = $1 FOR KEY SHARE', [id]);
      const lapse = `UPDATE webhook_alerts SET leased_until = clock_timestamp() + interval '300 milliseconds'`;
      await world.server.query(`${lapse} WHERE webhook_id = $1`, [id]);
      await other.query('SELECT FROM webhook_alerts WHERE webhook_id = $1 FOR UPDATE', [id]);
      await eventually(() => leaseIs('< clock_timestamp()'));
      await world.swept();
      expect([mail.asked.length, await lockWaits(world.server)]).toEqual([askedBefore + 1, 0]);
      await other.query('ROLLBACK');
      await eventually(() => mail.asked.length === askedBefore + 2);
      mail.take();
      await eventually(async () => (await waitingAlerts(world)).length === 0);
      await world.swept();
      expect(mail.asked).toHaveLength(askedBefore + 2);
    });
  }
});
