import type { RequestHandler, Router } from 'express';
import { packageFiles, pageScript } from '../../src/infrastructure/http/packageFiles.ts';
import { packagePagePolicy } from '../../src/infrastructure/http/pagePolicy.ts';
import { pageRoot } from '../../src/infrastructure/http/pageRoot.ts';
import { createRouter } from '../../src/infrastructure/http/router.ts';

/** Beside the editor, the answer has no room on telephones: GraphiQL leaves it a width of nothing. */
const style = `html, body, #graphiql { height: 100%; margin: 0 }
@media (max-width: 600px) {
#graphiql #graphiql-session { flex-direction: column; overflow-y: auto }
#graphiql .graphiql-editors { min-height: 420px }
#graphiql .graphiql-response { min-height: 280px }
#graphiql .graphiql-horizontal-drag-bar { display: none }
}`;

const pageAt = (root: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embarque GraphiQL</title>
<link rel="stylesheet" href="${root}graphql/assets/graphiql.css">
<style>${style}</style>
</head>
<body>
<div id="graphiql"><noscript>Without JavaScript, send operations to this address by POST.</noscript></div>
<script src="${root}graphql/assets/react.js"></script>
<script src="${root}graphql/assets/react-dom.js"></script>
<script src="${root}graphql/assets/graphiql.js"></script>
<script src="${root}graphql/assets/start.js"></script>
</body>
</html>
`;

/**
 * GraphiQL keeps the headers of past operations in the browser even where it is told to keep none (shouldPersistHeaders),
 * and the variables of them and of open tabs: a key, and who travels with which passport, would stay there for whoever uses
 * the machine next. What stands there until a key is put in takes the place of headers, nothing that of variables, in what
 * earlier pages have kept as well. Browsers that keep nothing throw where they are asked to.
 */
const start = `const headers = JSON.stringify({ Authorization: 'Bearer sk_test_...' }, null, 2);
const operations = ['graphiql:queries', 'graphiql:favorites', 'graphiql:tabState'];
const unkept = ['graphiql:variables', 'graphiql:headers'];
const kept = { headers, variables: null };
const withoutSecrets = (text) =>
  JSON.stringify(JSON.parse(text), (name, value) => (value && ['headers', 'variables'].includes(name) ? kept[name] : value));
const inMemory = () => {
  const texts = new Map();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, value) => void texts.set(name, value),
    removeItem: (name) => void texts.delete(name),
    names: () => [...texts.keys()],
  };
};
const inBrowser = () => {
  const place = localStorage;
  const names = () => Object.keys(place).filter((name) => name.startsWith('graphiql:'));
  const storage = {
    names,
    getItem: (name) => place.getItem(name),
    removeItem: (name) => place.removeItem(name),
    setItem: (name, value) => {
      if (unkept.includes(name)) return;
      place.setItem(name, operations.includes(name) ? withoutSecrets(value) : value);
    },
  };
  unkept.forEach(storage.removeItem);
  for (const name of operations) {
    const earlier = storage.getItem(name);
    if (earlier) storage.setItem(name, earlier);
  }
  return storage;
};
const available = () => {
  try {
    return inBrowser();
  } catch {
    return inMemory();
  }
};
const { names, ...places } = available();
const storage = {
  ...places,
  clear: () => names().forEach(places.removeItem),
  get length() {
    return names().length;
  },
};
const door = new URL('../../graphql', document.currentScript.src).href;
const sockets = new Map();
const fetcherFor = (authorization) => {
  if (!sockets.has(authorization)) {
    sockets.set(authorization, GraphiQL.createFetcher({
      url: door,
      subscriptionUrl: door.replace(/^http/, 'ws'),
      wsConnectionParams: { Authorization: authorization },
    }));
  }
  return sockets.get(authorization);
};
const noKey = { errors: [{ message: 'Put your key into "Headers" below, then fetch the schema again.' }] };
const authorizationOf = (headers) =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
const placeholder = authorizationOf(JSON.parse(headers));
const fetcher = (request, options) => {
  const authorization = authorizationOf(options?.headers);
  return !authorization || authorization === placeholder ? noKey : fetcherFor(authorization)(request, options);
};
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher,
    storage,
    defaultHeaders: headers,
    defaultQuery: '# Put your key into "Headers" below,\\n# then fetch the schema again: ⟳ below left.\\n{\\n  walletBalance {\\n    balance\\n    availableCredit\\n  }\\n}\\n',
    shouldPersistHeaders: false,
    isHeadersEditorEnabled: true,
  }),
);
`;

/**
 * Lets the page open WebSockets to this server, and to no other: that is in `'self'`, but not for Safari before 15.4.
 * @param host as the browser calls this server
 */
const securityPolicy = (host = '') =>
  packagePagePolicy(
    "font-src 'self' data:",
    `connect-src 'self'${/^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''}`,
  );

/** GraphiQL's page for browsers that open /graphql; any other request goes on to the operations. */
export const graphiqlPage: RequestHandler = (request, response, next) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || request.query.query !== undefined || request.accepts(['json', 'html']) !== 'html') {
    return next();
  }
  request.routeName = '/graphql (GraphiQL)';
  response.setHeader('Content-Security-Policy', securityPolicy(request.headers.host));
  response.type('html').send(pageAt(pageRoot(request)));
};

const assets = '/graphql/assets';

/** What the page loads, all from installed packages. */
export function createGraphiqlAssets(): Router {
  const router = createRouter();
  router.use(pageScript(assets, start));
  router.use(packageFiles(assets, 'react', { 'react.js': 'umd/react.production.min.js' }));
  router.use(packageFiles(assets, 'react-dom', { 'react-dom.js': 'umd/react-dom.production.min.js' }));
  router.use(
    packageFiles(assets, 'graphiql', {
      'graphiql.js': 'graphiql.min.js',
      'graphiql.css': 'graphiql.min.css',
    }),
  );
  return router;
}
