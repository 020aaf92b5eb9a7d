import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** As `openssl rand -base64 32` may print it. */
const liveKey = `sk_live_${Buffer.alloc(32, 0xfb).toString('base64')}`;

describeEngines('Keys that are chosen for the demo team', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { BOOTSTRAP_LIVE_KEY: liveKey } });
  });
  afterAll(() => server?.close());

  const ignored = () =>
    server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('ignored'))
      .map(({ setting }) => setting);

  it('may be in base64', async () => {
    expect(liveKey).toMatch(/[+/].*=$/);
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: liveKey });
    expect([answer.status, answer.body.data?.currency]).toEqual([200, 'BRL']);
  });

  it('are named when the database is not empty and has them not', async () => {
    await server.restart();
    expect(ignored()).toEqual([]);
    await server.restart({ BOOTSTRAP_ADMIN_KEY: 'sk_admin_of-somebody-else' });
    expect(ignored()).toEqual(['BOOTSTRAP_ADMIN_KEY']);
    expect(server.logLines.join('')).not.toContain('of-somebody-else');
  });
});
