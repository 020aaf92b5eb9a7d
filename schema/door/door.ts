import type { Server } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Gateway } from '../../src/domain/gateway.ts';
import type { DirectHandler, DirectRoute } from '../../src/infrastructure/http/directRoutes.ts';
import type { ApolloContext } from './apollo.ts';
import { createEventStreams } from './eventStreams.ts';
import { createGraphiqlAssets, graphiqlPage } from './graphiql.ts';
import { createGraphqlHandler } from './http.ts';
import { OperationCache } from './operationCache.ts';
import { createPreparation } from './preparation.ts';
import { createUnreadCounting } from './unreadDocuments.ts';
import { serveWebSockets } from './webSockets.ts';

/** Everything at /graphql: GraphiQL, operations over HTTP, subscriptions over server-sent events and WebSockets. */
export interface GraphqlDoor {
  readonly router: Router;
  /** Operations over HTTP, without the router in front of them. */
  readonly direct: readonly DirectRoute[];
  /** Takes the WebSocket upgrades of a server; returns what ends the subscriptions of both kinds, and the WebSockets. */
  attach(server: Server): { close(): Promise<void> };
  /** Loads now what the first new document would wait for. */
  loadApollo(): void;
  close(): Promise<void>;
}

/** Puts the parts at /graphql together. Apollo Server is loaded by the first document that needs it, or by `loadApollo`. */
export function createGraphqlDoor(schema: GraphQLSchema, gateway: Gateway): GraphqlDoor {
  const { settings } = gateway.platform;
  const cache = new OperationCache();
  let apollo: Promise<ApolloServer<ApolloContext>> | undefined;
  const openApollo = () => {
    apollo ??= startApollo(schema, cache, gateway);
    return apollo;
  };
  const countUnread = createUnreadCounting(schema);
  const prepare = createPreparation(schema, countUnread, settings.GRAPHQL_INTROSPECTION);
  const streams = createEventStreams(prepare, gateway);
  const router = Router();
  router.use('/assets', createGraphiqlAssets());
  const operations = createGraphqlHandler(gateway, { cache, countUnread, openApollo });
  const handler: DirectHandler = (request, response) =>
    streams.wants(request) ? streams.handler(request, response) : operations(request, response);
  router.all('/', graphiqlPage, handler);
  return {
    router,
    direct: [{ method: 'POST', path: '/graphql', handler }],
    attach(server) {
      const sockets = serveWebSockets(server, prepare, gateway);
      return {
        async close() {
          streams.close();
          await sockets.close();
        },
      };
    },
    // A failure is told to whoever asks for a document.
    loadApollo: () => void openApollo().catch(() => undefined),
    close: async () => (await apollo)?.stop(),
  };
}

/** Apollo Server is a tenth of what a start loads, and the REST face and known documents do without. */
async function startApollo(
  schema: GraphQLSchema,
  cache: OperationCache,
  { platform: { log, settings } }: Gateway,
): Promise<ApolloServer<ApolloContext>> {
  const { createApollo } = await import('./apollo.ts');
  const apollo = createApollo(schema, cache, { introspection: settings.GRAPHQL_INTROSPECTION, log });
  await apollo.start();
  return apollo;
}
