import type { RequestHandler } from 'express';
import { Router } from 'express';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { packageFiles } from '../src/infrastructure/http/packageFiles.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embarque GraphiQL</title>
<link rel="stylesheet" href="/graphql/assets/graphiql.css">
<style>html, body, #graphiql { height: 100%; margin: 0 }</style>
</head>
<body>
<div id="graphiql"><noscript>Without JavaScript, send operations to this address by POST.</noscript></div>
<script src="/graphql/assets/react.js"></script>
<script src="/graphql/assets/react-dom.js"></script>
<script src="/graphql/assets/graphiql.js"></script>
<script src="/graphql/assets/start.js"></script>
</body>
</html>
`;

/**
 * GraphiQL keeps the headers of past operations in the browser even where it is told to keep none (shouldPersistHeaders):
 * a key would stay there for whoever uses the machine next. What stands there until a key is put in takes their place,
 * in what earlier pages have kept as well.
 */
const start = `const headers = JSON.stringify({ Authorization: 'Bearer sk_test_...' }, null, 2);
const pastOperations = ['graphiql:queries', 'graphiql:favorites'];
const withoutKeys = (operations) =>
  JSON.stringify(JSON.parse(operations), (name, value) => (name === 'headers' ? headers : value));
const ownNames = () => Object.keys(localStorage).filter((name) => name.startsWith('graphiql:'));
const storage = {
  getItem: (name) => localStorage.getItem(name),
  setItem: (name, value) =>
    localStorage.setItem(name, pastOperations.includes(name) ? withoutKeys(value) : value),
  removeItem: (name) => localStorage.removeItem(name),
  clear: () => ownNames().forEach((name) => localStorage.removeItem(name)),
  get length() {
    return ownNames().length;
  },
};
for (const name of pastOperations) {
  const kept = storage.getItem(name);
  if (kept) storage.setItem(name, kept);
}
const socketUrl = location.origin.replace(/^http/, 'ws') + '/graphql';
const sockets = new Map();
const fetcherFor = (authorization) => {
  if (!sockets.has(authorization)) {
    sockets.set(authorization, GraphiQL.createFetcher({
      url: '/graphql',
      subscriptionUrl: socketUrl,
      wsConnectionParams: { Authorization: authorization },
    }));
  }
  return sockets.get(authorization);
};
const fetcher = (request, options) => fetcherFor(options?.headers?.Authorization)(request, options);
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

/** `'self'` lets the page open WebSockets to this server, too, and to no other. */
const securityPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "frame-ancestors 'none'; base-uri 'none'";

/** GraphiQL's page for browsers that open /graphql; any other request goes on to the operations. */
export const graphiqlPage: RequestHandler = (request, response, next) => {
  if (
    request.method !== 'GET' ||
    request.query.query !== undefined ||
    request.accepts(['json', 'html']) !== 'html'
  ) {
    return next();
  }
  request.routeName = '/graphql (GraphiQL)';
  response.setHeader('Content-Security-Policy', securityPolicy);
  response.type('html').send(page);
};

/** What the page loads, all from installed packages. */
export function createGraphiqlAssets(): Router {
  const router = Router();
  router.get('/start.js', (request, response) => {
    request.routeName = '/graphql/assets/start.js';
    response.type('js').send(start);
  });
  refuseOtherMethods(router, '/start.js', '/graphql/assets/start.js');
  router.use(packageFiles('react', { 'react.js': 'umd/react.production.min.js' }));
  router.use(packageFiles('react-dom', { 'react-dom.js': 'umd/react-dom.production.min.js' }));
  router.use(
    packageFiles('graphiql', { 'graphiql.js': 'graphiql.min.js', 'graphiql.css': 'graphiql.min.css' }),
  );
  return router;
}
