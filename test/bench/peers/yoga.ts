import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { openGateway } from './gateway.ts';

/** graphql-yoga over the product's schema, with the cache of parsed and validated documents that it has by default. */

const { schema, port, contextOf } = await openGateway();

const yoga = createYoga({
  schema,
  context: ({ request }) => contextOf(request.headers.get('authorization')),
  graphqlEndpoint: '/graphql',
  healthCheckEndpoint: '/ready',
  graphiql: false,
  landingPage: false,
  logging: false,
});

createServer(yoga).listen(port, '127.0.0.1');
