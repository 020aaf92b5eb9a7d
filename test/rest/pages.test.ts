import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describeOneEngine('The pages of the server', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('begin with one that leads to all that there is to read', async () => {
    const { status, headers, text } = await server.rest('GET', '/', { headers: browser });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    // Or no browser shows the icon.
    expect(headers.get('content-security-policy')).toContain("img-src 'self'");
    expect(text).toContain('<meta name="robots" content="noindex">');
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(links).toEqual(['docs', 'api/v1/openapi.json', 'graphql', 'health/ready']);
    for (const path of links)
      expect([path, (await server.rest('GET', `/${path}`, { headers: browser })).status]).toEqual([
        path,
        200,
      ]);
  });

  it.each(['/docs', '/docs/', '/graphql', '/graphql/'])(
    'load what they show from below the path that a proxy has put them at: %s',
    async (path) => {
      const { text } = await server.rest('GET', `${path}?of=/this`, { headers: browser });
      const shownAt = new URL(`http://proxy.example/travel${path}`);
      const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, link = '']) => new URL(link, shownAt).pathname,
      );
      expect(loaded.length).toBeGreaterThan(3);
      for (const link of loaded) {
        expect(link).toMatch(/^\/travel\/./);
        expect([link, (await server.rest('GET', link.replace('/travel', ''))).status]).toEqual([link, 200]);
      }
    },
  );

  it('link from the documentation to what is below that path as well', async () => {
    const script = (await server.rest('GET', '/docs/start.js')).text;
    const src = 'http://proxy.example/travel/docs/start.js';
    let options: Json = {};
    const SwaggerUIBundle = (given: Json) => {
      options = given;
    };
    runInNewContext(script, { URL, SwaggerUIBundle, document: { currentScript: { src } } });
    const { text } = await server.rest('GET', '/api/v1/openapi.json');
    const shown = options.responseInterceptor({ url: options.url, text });
    const paths = [...JSON.parse(shown.text).info.description.matchAll(/\]\(([^)]+)\)/g)].map(
      ([, link]) => new URL(link, src).pathname,
    );
    expect(paths).toEqual(['/travel/graphql']);
  });

  it('are shown also to whoever writes a host that can be none before their path', async () => {
    for (const path of ['/docs', '/graphql'])
      expect(
        await rawRequest(server.url, { method: 'GET', path: `http://h:99999${path}`, headers: browser }),
      ).toMatchObject({ status: 200 });
  });

  it('are not for programs, which are told that there is nothing at the address itself', async () => {
    const { status, body } = await server.rest('GET', '/');
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(['/', '/graphql'])('say of themselves what they would be: HEAD %s', async (path) => {
    const ask = (method: string) =>
      fetch(`${server.url}${path}`, { method, headers: { accept: 'text/html' } });
    const [page, head] = [await ask('GET'), await ask('HEAD')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'content-security-policy'])
      expect(head.headers.get(name)).toBe(page.headers.get(name));
  });

  it('have an icon', async () => {
    const response = await fetch(`${server.url}/favicon.ico`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'image/vnd.microsoft.icon',
    ]);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
    const [size, offset] = [bytes.readUInt32LE(14), bytes.readUInt32LE(18)];
    expect([bytes.subarray(offset + 1, offset + 4).toString(), offset + size]).toEqual(['PNG', bytes.length]);
  });
});
