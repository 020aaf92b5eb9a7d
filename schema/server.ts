import type { Server } from 'node:http';
import { Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Gateway } from '../src/domain/gateway.ts';
import { createApollo, OperationCache } from './apollo.ts';
import { createGraphiqlAssets, graphiqlPage } from './graphiql.ts';
import { createGraphqlHandler } from './http.ts';
import { createSseHandler, serveWebSockets } from './subscriptions.ts';

/** Everything at /graphql: GraphiQL, operations over HTTP, subscriptions over server-sent events and WebSockets. */
export interface GraphqlDoor {
  readonly router: Router;
  /** Takes the WebSocket upgrades of a server; returns what ends the connections. */
  attach(server: Server): { close(): Promise<void> };
  close(): Promise<void>;
}

export async function createGraphqlDoor(schema: GraphQLSchema, gateway: Gateway): Promise<GraphqlDoor> {
  const { log, settings } = gateway.platform;
  const cache = new OperationCache();
  const apollo = createApollo(schema, cache, { introspection: settings.GRAPHQL_INTROSPECTION, log });
  await apollo.start();
  const stream = createSseHandler(schema, gateway);
  const router = Router();
  router.use('/assets', createGraphiqlAssets());
  router.use(graphiqlPage);
  router.use((request, response, next) => {
    const accept = request.headers.accept ?? '';
    if (!accept.includes('text/event-stream')) return next();
    stream(request, response).catch(next);
  });
  router.use(createGraphqlHandler(gateway, apollo, cache));
  return {
    router,
    attach: (server) => serveWebSockets(server, schema, gateway),
    close: () => apollo.stop(),
  };
}
