import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What GraphiQL itself keeps past operations with, in the version that the page loads. */
const { HistoryStore, StorageAPI } = createRequire(createRequire(import.meta.url).resolve('graphiql'))(
  '@graphiql/toolkit',
);

/** A browser's: what is kept stands in properties of its own. */
function browserStorage(kept: Record<string, string>) {
  const methods = {
    getItem(this: Record<string, string>, name: string) {
      return Object.hasOwn(this, name) ? this[name] : null;
    },
    setItem(this: Record<string, string>, name: string, value: string) {
      this[name] = value;
    },
    removeItem(this: Record<string, string>, name: string) {
      delete this[name];
    },
  };
  return Object.assign(Object.create(methods), kept);
}

const key = 'sk_live_typed';
const operation = { query: '{ walletBalance { balance } }', headers: `{"Authorization":"Bearer ${key}"}` };

describeOneEngine('a key that is typed into a page', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  const runStart = async (path: string, globals: Record<string, unknown>) => {
    const { status, text } = await server.rest('GET', path);
    expect(status).toBe(200);
    runInContext(text, createContext(globals));
  };

  it('is not kept in the browser by GraphiQL, and what was kept of one is taken away', async () => {
    const localStorage = browserStorage({
      'graphiql:queries': JSON.stringify({ queries: [{ ...operation, operationName: 'earlier' }] }),
      'another page': 'its own',
    });
    let storage: unknown;
    await runStart('/graphql/assets/start.js', {
      localStorage,
      location: new URL(server.url),
      document: { getElementById: () => ({}) },
      ReactDOM: { createRoot: () => ({ render: () => undefined }) },
      React: {
        createElement: (_component: unknown, properties: { storage?: unknown }) => {
          storage = properties.storage;
        },
      },
      GraphiQL: {},
    });
    expect(JSON.stringify(localStorage)).not.toContain(key);

    const history = new HistoryStore(new StorageAPI(storage), 20);
    history.updateHistory(operation);
    history.toggleFavorite(operation);
    history.updateHistory({ ...operation, query: '{ __typename }' });
    const kept = JSON.stringify(localStorage);
    expect(kept).not.toContain(key);
    for (const text of ['earlier', 'walletBalance', '__typename', 'favorites']) expect(kept).toContain(text);

    new StorageAPI(storage).clear();
    expect({ ...localStorage }).toEqual({ 'another page': 'its own' });
  });

  it('is not kept in the browser by Swagger UI, and one that was kept is taken away', async () => {
    const localStorage = browserStorage({ authorized: `{"bearer":{"value":"${key}"}}` });
    let options: unknown;
    const SwaggerUIBundle = (given: unknown) => {
      options = given;
    };
    await runStart('/docs/start.js', { localStorage, SwaggerUIBundle });
    expect({ ...localStorage }).toEqual({});
    expect(options).toMatchObject({ url: '/api/v1/openapi.json', persistAuthorization: false });
  });

  it('leaves Swagger UI on its page where the browser keeps nothing for anybody', async () => {
    const isShown = vi.fn();
    const refusing = () => {
      throw new Error('access is denied for this document');
    };
    const browser = { SwaggerUIBundle: isShown };
    Object.defineProperty(browser, 'localStorage', { get: refusing });
    await runStart('/docs/start.js', browser).catch(() => undefined);
    expect(isShown).toHaveBeenCalledOnce();
  });
});
