import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('The OpenAPI document, which anyone may ask for', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('is written once, however often it is asked for', async () => {
    const writing = vi.spyOn(JSON, 'stringify');
    try {
      const texts = new Set<string>();
      for (let asked = 0; asked < 3; asked += 1) {
        const response = await fetch(`${server.url}/api/v1/openapi.json`);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        texts.add(await response.text());
      }
      const [text = ''] = texts;
      expect(texts.size).toBe(1);
      expect(JSON.parse(text)).toHaveProperty('openapi', '3.1.0');
      const written = writing.mock.calls.filter(([value]) => (value as { openapi?: string })?.openapi);
      expect(written.length).toBeLessThanOrEqual(1);
    } finally {
      writing.mockRestore();
    }
  });
});
