import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
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
});
