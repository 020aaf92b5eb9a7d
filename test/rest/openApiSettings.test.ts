import { expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';

describeOneEngine('The OpenAPI document of a server with times of its own', (engine) => {
  it.each([
    ['90m', '90 minutes', '1s', '1 second'],
    ['3d', '72 hours', '2500ms', '2500 milliseconds'],
  ])('tells of them: %s is %s, %s is %s', async (window, windowInWords, timeout, timeoutInWords) => {
    const settings = { IDEMPOTENCY_WINDOW: window, WEBHOOK_TIMEOUT: timeout };
    const server = await startTestServer(engine, { settings });
    try {
      const { body } = await server.rest('GET', '/api/v1/openapi.json');
      expect(body.info.description).toContain(`for ${windowInWords} the same request`);
      const { description } = body.components.parameters.IdempotencyKey;
      expect(description).toContain(`Within ${windowInWords} the same key`);
      const deliveries: Json[] = Object.values(body.webhooks);
      expect(deliveries.length).toBeGreaterThan(0);
      for (const { post } of deliveries)
        expect(post.responses['2XX'].description).toContain(`within ${timeoutInWords}.`);
    } finally {
      await server.close();
    }
  });
});
