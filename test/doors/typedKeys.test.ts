import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Json } from '../harness/client.ts';
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
const passport = 'FT123456';
const operation = {
  query: '{ walletBalance { balance } }',
  headers: `{"Authorization":"Bearer ${key}"}`,
  variables: `{"number":"${passport}"}`,
};
const tabs = (operationName: string) =>
  JSON.stringify({ activeTabIndex: 0, tabs: [{ ...operation, operationName, headers: null }] });

describeOneEngine('a key that is typed into a page', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** Runs a page's script as a browser does that finds it behind a proxy, below the path `/travel`. */
  const runStart = async (path: string, globals: Record<string, unknown>) => {
    const { status, text } = await server.rest('GET', path);
    expect(status).toBe(200);
    const document = {
      currentScript: { src: `https://proxy.example/travel${path}` },
      getElementById: () => ({}),
    };
    const page = { document, URL };
    runInContext(
      text,
      createContext(Object.defineProperties(page, Object.getOwnPropertyDescriptors(globals))),
    );
  };

  const createFetcher = vi.fn((_options: object) => () => 'sent');

  /** With what GraphiQL is shown by the script of its page. */
  const graphiql = async (globals: object) => {
    createFetcher.mockClear();
    let shown: Record<string, unknown> = {};
    const React = {
      createElement: (_component: unknown, properties: Record<string, unknown>) => {
        shown = properties;
      },
    };
    const page = {
      ReactDOM: { createRoot: () => ({ render: () => undefined }) },
      React,
      GraphiQL: { createFetcher },
    };
    await runStart(
      '/graphql/assets/start.js',
      Object.defineProperties(page, Object.getOwnPropertyDescriptors(globals)),
    );
    return shown;
  };

  it('is not kept in the browser by GraphiQL, nor are variables, and what was kept of one is taken away', async () => {
    const localStorage = browserStorage({
      'graphiql:queries': JSON.stringify({ queries: [{ ...operation, operationName: 'earlier' }] }),
      'graphiql:tabState': tabs('open before'),
      'graphiql:variables': operation.variables,
      'another page': 'its own',
    });
    const { storage } = await graphiql({ localStorage });
    const secrets = new RegExp(`${key}|${passport}`);
    expect(JSON.stringify(localStorage)).not.toMatch(secrets);

    const history = new HistoryStore(new StorageAPI(storage), 20);
    history.updateHistory(operation);
    history.toggleFavorite(operation);
    history.updateHistory({ ...operation, query: '{ __typename }' });
    new StorageAPI(storage).set('tabState', tabs('open now'));
    new StorageAPI(storage).set('variables', operation.variables);
    const kept = JSON.stringify(localStorage);
    expect(kept).not.toMatch(secrets);
    for (const text of ['earlier', 'walletBalance', '__typename', 'favorites', 'open now'])
      expect(kept).toContain(text);

    new StorageAPI(storage).clear();
    expect({ ...localStorage }).toEqual({ 'another page': 'its own' });
  });

  it('is not kept in the browser by Swagger UI, and one that was kept is taken away', async () => {
    const localStorage = browserStorage({ authorized: `{"bearer":{"value":"${key}"}}` });
    const SwaggerUIBundle = vi.fn();
    await runStart('/docs/start.js', { localStorage, SwaggerUIBundle });
    expect({ ...localStorage }).toEqual({});
    const [options] = SwaggerUIBundle.mock.calls[0] as [Json];
    expect(options.persistAuthorization).toBe(false);
    const url = 'https://proxy.example/travel/api/v1/openapi.json';
    expect(options.url).toBe(url);
    expect(options.requestInterceptor({ url, loadSpec: true })).toMatchObject({ url });
    const tried = options.requestInterceptor({ url: 'https://proxy.example/api/v1/wallet/balance?page=1' });
    expect(tried.url).toBe('https://proxy.example/travel/api/v1/wallet/balance?page=1');
  });

  it('is asked for before anything is sent by GraphiQL', async () => {
    const { fetcher } = await graphiql({ localStorage: browserStorage({}) });
    const send = (headers?: { Authorization?: string; authorization?: string }) =>
      (fetcher as (request: object, options: object) => unknown)({ query: '{ __typename }' }, { headers });
    const asked = {
      errors: [{ message: 'Put your key into "Headers" below, then fetch the schema again.' }],
    };
    // The schema is fetched without any headers while none were edited.
    for (const headers of [undefined, {}, { Authorization: '' }, { Authorization: 'Bearer sk_test_...' }])
      expect(send(headers)).toEqual(asked);
    expect(send({ Authorization: `Bearer ${key}` })).toBe('sent');
    expect(send({ authorization: `Bearer ${key}` })).toBe('sent');
    expect(createFetcher).toHaveBeenCalledExactlyOnceWith({
      url: 'https://proxy.example/travel/graphql',
      subscriptionUrl: 'wss://proxy.example/travel/graphql',
      wsConnectionParams: { Authorization: `Bearer ${key}` },
    });
  });

  it('leaves GraphiQL on its page where the browser keeps nothing for anybody', async () => {
    const { storage } = await graphiql({
      get localStorage() {
        throw new Error('access is denied for this document');
      },
    });
    const kept = new StorageAPI(storage);
    kept.set('theme', 'dark');
    expect(kept.get('theme')).toBe('dark');
    kept.clear();
    expect(kept.get('theme')).toBeNull();
  });

  it('leaves Swagger UI on its page where the browser keeps nothing for anybody', async () => {
    const isShown = vi.fn();
    const refusing = () => {
      throw new Error('access is denied for this document');
    };
    const browser = { SwaggerUIBundle: isShown };
    Object.defineProperty(browser, 'localStorage', { get: refusing });
    await runStart('/docs/start.js', browser);
    expect(isShown).toHaveBeenCalledOnce();
  });
});
