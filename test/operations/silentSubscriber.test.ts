import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { DeliveryWorld } from '../webhooks/deliveryWorld.ts';

/** Stands between a server and its Redis, and can pass nothing on any more of who listens now. */
async function startSilencingLink(target: URL) {
  const silences: (() => void)[] = [];
  const link = await startServiceLink(target, (near, far) => {
    let isSilent = false;
    near.on('data', (bytes: Buffer) => {
      if (bytes.includes('embarque-subscriber')) silences.push(() => (isSilent = true));
      if (!isSilent) far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (!isSilent) near.write(bytes);
    });
  });
  return {
    ...link,
    silenceSubscriber() {
      for (const silence of silences) silence();
    },
  };
}

describeSeveralSessions('a connection to Redis that listens and falls silent', (engine) => {
  it('is given up for one that hears, without anybody asking', async () => {
    const link = await startSilencingLink(new URL(process.env.TEST_REDIS_URL ?? ''));
    // Nothing is found by a sweep.
    const settings = { REDIS_URL: link.url, SWEEP_INTERVAL: '1h' };
    const world = await DeliveryWorld.open(engine, { settings });
    try {
      const { key, tenant } = await world.team();
      await world.register(key, '/heard');
      const isHeard = async () => {
        const before = world.received('/heard').length;
        await world.happens(tenant);
        await eventually(() => world.received('/heard').length > before);
      };
      await isHeard();
      link.silenceSubscriber();
      const told = (words: string) =>
        world.server.logLines.filter(
          (line) => line.includes('"connection":"subscriber"') && line.includes(words),
        ).length;
      await eventually(() => told('redis unavailable') === 1 && told('redis is back') === 1);
      expect(told('redis unavailable')).toBe(1);
      // It is subscribed again, channel by channel, once it is back.
      await eventually(async () => {
        await world.happens(tenant);
        return world.received('/heard').length > 1;
      });
    } finally {
      await world.close();
      link.close();
    }
  });
});
