import type { Router } from 'express';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { packageFiles, pageScript } from '../src/infrastructure/http/packageFiles.ts';
import { packagePagePolicy } from '../src/infrastructure/http/pagePolicy.ts';
import { pageRoot } from '../src/infrastructure/http/pageRoot.ts';
import { restPrefix } from '../src/infrastructure/http/restPrefix.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';

/** Where the OpenAPI document is, from the root of the server. */
export const openApiPath = `${restPrefix.slice(1)}/openapi.json`;

/**
 * What is told of a group of operations stands below its name where it is a table, and on telephones always: beside the
 * name it widens the page. Swagger UI leaves no room between the columns of tables.
 */
const style = `.swagger-ui .opblock-tag :is(th, td):not(:last-child) { padding-right: 12px }
.swagger-ui .opblock-tag:has(table) { flex-wrap: wrap }
.swagger-ui .opblock-tag:has(table) small { order: 1; flex-basis: 100%; padding: 10px 0 }
@media (max-width: 700px) {
.swagger-ui .opblock-tag { flex-wrap: wrap }
.swagger-ui .opblock-tag small { order: 1; flex-basis: 100%; min-width: 0; padding: 10px 0; overflow-x: auto }
}`;

const pageAt = (root: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embarque API</title>
<link rel="stylesheet" href="${root}docs/swagger-ui.css">
<style>${style}</style>
</head>
<body>
<div id="ui"><noscript>Without JavaScript, read <a href="${root}${openApiPath}">the OpenAPI document</a>.</noscript></div>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/start.js"></script>
</body>
</html>
`;

/**
 * A key is good until the page is closed. Earlier pages kept it in the browser, for whoever uses the machine next: it is taken
 * away. A browser that keeps nothing refuses to be asked.
 *
 * Swagger UI takes the paths of the document for those of the host, above any path that a proxy has put the server below, and
 * so does the browser with the link in its text.
 */
const start = `const root = new URL('..', document.currentScript.src).href;
SwaggerUIBundle({
  url: root + '${openApiPath}',
  requestInterceptor: (request) => {
    if (!request.loadSpec) request.url = request.url.replace(new URL('/', root).href, () => root);
    return request;
  },
  responseInterceptor: (response) => {
    if (response.url === root + '${openApiPath}')
      response.text = response.text.replaceAll('](/graphql)', () => '](' + root + 'graphql)');
    return response;
  },
  dom_id: '#ui',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
try {
  localStorage.removeItem('authorized');
} catch {}
`;

const securityPolicy = packagePagePolicy();

/** Swagger UI over openapi.json, all from this server. */
export function createDocsRouter(): Router {
  const router = createRouter();
  router.get('/', (request, response) => {
    request.routeName = '/docs';
    response.setHeader('Content-Security-Policy', securityPolicy);
    response.type('html').send(pageAt(pageRoot(request)));
  });
  refuseOtherMethods(router, '/', '/docs');
  router.use(pageScript('/docs', start));
  router.use(
    packageFiles('/docs', 'swagger-ui-dist', {
      'swagger-ui.css': 'swagger-ui.css',
      'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
    }),
  );
  return router;
}
