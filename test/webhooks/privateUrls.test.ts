import { afterAll, beforeAll, it } from 'vitest';
import { badField, expectRefusal } from '../doors/door.ts';
import { outcomeOf as graphqlOutcome } from '../doors/graphqlDoor.ts';
import { outcomeOf as restOutcome } from '../doors/restDoor.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { invalidUrl, pending, unknownId } from './managementSteps.ts';

describeOneEngine('Where no private address may be called,', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'false' } });
  });
  afterAll(() => server?.close());

  it.each([
    'https://localhost:9999/',
    'https://127.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
  ])(
    'webhooks are neither registered with %s nor changed to it, at either door, and told why',
    async (url) => {
      const { live: key } = await server.createTeam();
      const refusal = badField('url', 'blocked_host', invalidUrl.message);
      const body = { url, events: pending };
      const path = `/api/v1/webhooks/${unknownId}`;
      expectRefusal(restOutcome(await server.rest('POST', '/api/v1/webhooks', { key, body })), refusal);
      expectRefusal(restOutcome(await server.rest('PUT', path, { key, body: { url } })), refusal);
      for (const query of [
        'mutation ($url: WebhookUrl!) { outcome: createWebhook(url: $url, events: ["wallet.debit"]) { id } }',
        `mutation ($url: WebhookUrl!) { outcome: updateWebhook(id: "${unknownId}", url: $url) { id } }`,
      ])
        expectRefusal(graphqlOutcome(await server.graphql(query, { url }, key)), refusal);
    },
  );
});
