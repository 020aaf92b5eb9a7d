import { fastify } from 'fastify';
import { mercurius } from 'mercurius';
import { openGateway } from './gateway.ts';

/** mercurius over the product's schema, compiling each document on its first use (`jit: 1`). */

const { schema, port, contextOf } = await openGateway();

const application = fastify({ logger: false });
application.get('/ready', () => ({}));
application.register(mercurius, {
  schema,
  context: (request) => contextOf(request.headers.authorization),
  path: '/graphql',
  graphiql: false,
  jit: 1,
});

await application.listen({ port, host: '127.0.0.1' });
