import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { restoreMachineClock, setMachineClock } from '../harness/machineClock.ts';
import { answer, type Receiver, startReceiver } from '../harness/receiver.ts';
import { dayMs, minuteMs, secondMs } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** No test can set the clock that TLS has: a certificate that has expired stands for one that has by that alone. */
describeSeveralSessions('A certificate that has expired by the clock of the machine', (engine) => {
  let world: DeliveryWorld;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(answer(200), { certificate: (await testCertificates()).expired });
    const settings = { WEBHOOK_RETRY_DELAYS: '0s,1h', WEBHOOK_REACHABILITY_CHECK: 'false' };
    world = await DeliveryWorld.open(engine, { settings });
  });
  afterEach(restoreMachineClock);
  afterAll(async () => {
    await receiver?.close();
    await world?.close();
  });

  const told = async (path: string) => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, path, receiver.url(path));
    await world.happens(tenant);
    return id;
  };

  it.each([-40 * dayMs, 40 * dayMs])(
    'is held against nobody while that is wrong by %i ms, and looked at again when it is right',
    async (aheadMs) => {
      setMachineClock(aheadMs);
      const id = await told(`/wrong${aheadMs}`);
      const isPutOff = async () => {
        const [put] = await world.server.query<{ pause: number }>(
          `SELECT extract(epoch FROM due_at - clock_timestamp())::double precision AS pause
             FROM webhook_deliveries WHERE webhook_id = $1`,
          [id],
        );
        return (put?.pause ?? 0) > 30;
      };
      await eventually(isPutOff);
      const [delivery] = await world.deliveries(id);
      expect(delivery).toMatchObject({ status: 'pending', attempt_count: 0, reasons: [] });
      const says = 'the certificate has expired, by the clock of this machine, which is not the database’s';
      expect(world.server.logLines.filter((line) => line.includes(says))).not.toEqual([]);

      restoreMachineClock();
      await world.server.query('UPDATE webhook_deliveries SET due_at = clock_timestamp()');
      const [judged] = await world.until(id, ({ reasons }) => reasons.length > 0);
      expect(judged).toMatchObject({ status: 'pending', attempt_count: 1, reasons: ['tls_certificate'] });
    },
  );

  it('is an attempt that failed where that is wrong by minutes, in which no certificate ends', async () => {
    setMachineClock(10 * minuteMs + secondMs);
    const id = await told('/nearly-right');
    await world.until(id, ({ reasons }) => reasons.join() === 'tls_certificate');
  });
});
