import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { describeEngines } from '../harness/engines.ts';
import { useServerProcesses } from './serverProcess.ts';

const startProcess = useServerProcesses();

describeEngines('A process with another ENCRYPTION_KEY than that of what is stored', (engine) => {
  let place: Place;
  beforeAll(async () => {
    place = await engine.allocate();
  });
  afterAll(() => place.release());

  it('does not start', async () => {
    const [key, other] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const caller = 'sk_live_0123456789abcdef';
    const start = (encryptionKey: string) =>
      startProcess({
        ...place.settings,
        PORT: '0',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
        WEBHOOK_REACHABILITY_CHECK: 'false',
        BOOTSTRAP_LIVE_KEY: caller,
        ENCRYPTION_KEY: encryptionKey,
      });
    const sealing = start(key);
    const body = { url: 'https://127.0.0.1:65000/hook', events: ['wallet.recharge.pending'] };
    const created = await restRequest(await sealing.ready(), 'POST', '/api/v1/webhooks', {
      key: caller,
      body,
    });
    expect(created.status).toBe(201);
    await sealing.stop();

    const wrong = start(other);
    expect(await wrong.exited).toEqual({ code: 1, signal: null });
    expect(wrong.output.stderr).toMatch(/^Wrong settings: ENCRYPTION_KEY: .*another key\n$/);
    expect(JSON.stringify(wrong.output)).not.toContain(other);
  });
});
