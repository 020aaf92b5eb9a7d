import { createServer } from 'node:http';
import { useSofa } from 'sofa-api';
import { openGateway } from './gateway.ts';

/** SOFA over the product's schema: REST routes that it makes of the operations by itself. */

const { schema, port, contextOf } = await openGateway();

const sofa = useSofa({
  basePath: '/sofa',
  schema,
  swaggerUI: { endpoint: '/docs' },
  context: ({ request }: { request: Request }) => contextOf(request.headers.get('authorization')),
});

createServer((request, response) => {
  if (request.url !== '/ready') return void sofa(request, response);
  response.end('{}');
}).listen(port, '127.0.0.1');
