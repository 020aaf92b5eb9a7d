import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { minuteMs } from '../harness/testClock.ts';
import { deactivateWebhook, describeMailServer, startRefusingMailServer } from './mailServers.ts';

describeMailServer('While the mail server lets nobody in', startRefusingMailServer, (stage) => {
  it('that is told ten times a minute, however many alerts wait, and with how many went untold', async () => {
    const { mail, world } = stage;
    const { query, logLines } = world.server;
    const told = () =>
      logLines
        .filter((line) => line.includes('alert not mailed'))
        .map((line) => JSON.parse(line))
        .map(({ webhookId, untold }) => ({ webhookId, untold }));
    const webhookId = await deactivateWebhook(world);
    await eventually(() => told().length === 1);
    const count = 25;
    await query(
      'INSERT INTO webhook_alerts (webhook_id, created_at) SELECT $1, now() FROM generate_series(1, $2::integer)',
      [webhookId, count],
    );
    /** Each has been refused, and waits. */
    const allRefused = () =>
      eventually(async () => {
        await world.swept();
        return (
          (
            await query(`SELECT FROM webhook_alerts WHERE leased_until IS NULL OR leased_until <= clock_timestamp()
                         OR leased_until > clock_timestamp() + interval '1 minute'`)
          ).length === 0
        );
      });
    await allRefused();
    expect(mail.refusal.times).toBe(1 + count);
    expect(told()).toEqual(Array.from({ length: 10 }, () => ({ webhookId, untold: 0 })));

    onTestFinished(passMonotonicTime(minuteMs));
    // As if the pause of one were over.
    await query(
      'UPDATE webhook_alerts SET leased_until = NULL WHERE id = (SELECT min(id) FROM webhook_alerts)',
    );
    await allRefused();
    expect(told().slice(10)).toEqual([{ webhookId, untold: 1 + count - 10 }]);
  });
});
