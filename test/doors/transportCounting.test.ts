import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { transports } from '../harness/subscribers.ts';
import { newTeamKeys } from './keys.ts';

const limit = 3;

describeOneEngine('The rate limit of long-lived connections', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { RATE_LIMIT_DEFAULT: String(limit), RATE_LIMIT_WINDOW: '1h' },
    });
  });
  afterAll(() => server?.close());

  describe.each(transports)('over $name', ({ subscribe }) => {
    it.each([
      '{ not a document',
      '{ unknownField }',
      'query ($id: String!) { recharge(id: $id) { id } }',
      '{ __typename }',
    ])('counts each request for %s, of which no operation runs', async (query) => {
      const { live: key } = await newTeamKeys(server);
      const isRefused = async () => {
        const { results, ended } = subscribe(server.url, { key, query });
        const ending = await ended();
        const told = JSON.stringify([results, ending, await ending.response?.json()]);
        return told.includes('RATE_LIMIT_EXCEEDED');
      };
      for (let sent = 0; sent < limit; sent += 1) expect(await isRefused()).toBe(false);
      expect(await isRefused()).toBe(true);
    });
  });
});
