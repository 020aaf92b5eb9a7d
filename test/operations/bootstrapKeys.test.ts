import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('Keys that are chosen for the demo team', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  const ignored = () =>
    server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('ignored'))
      .map(({ setting }) => setting);

  it('are named when the database is not empty and has them not', async () => {
    await server.restart();
    expect(ignored()).toEqual([]);
    await server.restart({ BOOTSTRAP_ADMIN_KEY: 'sk_admin_of-somebody-else' });
    expect(ignored()).toEqual(['BOOTSTRAP_ADMIN_KEY']);
    expect(server.logLines.join('')).not.toContain('of-somebody-else');
  });
});
