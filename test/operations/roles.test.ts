import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestRecharge, storedWalletEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { transports } from '../harness/subscribers.ts';

const engine = realEngine();

describe.runIf(engine)('Processes with roles of their own', () => {
  const startProcess = useServerProcesses();
  let api: TestServer;
  beforeAll(async () => {
    api = await startTestServer(engine!, { settings: { ROLES: 'api', PIX_VALIDITY: '1ms' } });
  });
  afterAll(() => api.close());

  const statusOf = async (key: string, id: string) =>
    (await api.rest('GET', `/api/v1/wallet/recharge/${id}`, { key })).body.data.status;

  it('a worker serves no door, and does what the api process leaves undone', async () => {
    const { teamId, test: key } = await api.createTeam();
    const ids = [await requestRecharge(api, key), await requestRecharge(api, key)];
    const [start] = await storedWalletEvents(api, teamId, 'test');
    const subscribers = transports.map(({ subscribe }) =>
      subscribe(api.url, { key, variables: { after: start.id, types: ['wallet.recharge.expired'] } }),
    );
    expect(await api.rest('GET', '/metrics').then(({ text }) => text)).not.toContain(
      'embarque_sweeps_total{',
    );
    for (const id of ids) expect(await statusOf(key, id)).toBe('pending');

    const misspelt = { SMTP_URI: 'smtp://127.0.0.1:25' };
    const worker = startProcess({ ...api.environment, ...misspelt, ROLES: 'worker', LOG_LEVEL: 'warn' });
    const url = await worker.ready();
    for (const id of ids) await eventually(async () => (await statusOf(key, id)) === 'expired');
    for (const subscriber of subscribers) {
      const told = await subscriber.sees(2);
      expect(told.map(({ data }) => data.object.id).sort()).toEqual(ids.sort());
      subscriber.cut();
    }
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect([path, (await restRequest(url, 'GET', path)).status]).toEqual([path, 200]);
    }
    for (const path of ['/api/v1/wallet/balance', '/graphql', '/docs', '/api/v1/openapi.json']) {
      // Asked plainly: it is no refusal of these endpoints, which a worker has not.
      const answer = await fetch(url + path, {
        headers: { accept: 'text/html', authorization: `Bearer ${key}` },
      });
      const { error } = (await answer.json()) as Json;
      expect([path, answer.status, error.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    expect(worker.output.stdout).not.toContain('curl');
    await eventually(() => worker.output.stdout.includes('"variable":"SMTP_URI","setting":"SMTP_URL"'));
    // On PostgreSQL it may be meant for real.
    await eventually(() => worker.output.stdout.includes('payments are simulated'));
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
  });
});
