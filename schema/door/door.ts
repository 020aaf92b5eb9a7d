import type { Server } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import type { Request, Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Gateway } from '../../src/domain/gateway.ts';
import type { AppError } from '../../src/errors.ts';
import type { DirectHandler, DirectRoute } from '../../src/infrastructure/http/directRoutes.ts';
import { createRouter } from '../../src/infrastructure/http/router.ts';
import type { ApolloContext } from './apollo.ts';
import { createEventStreams } from './eventStreams.ts';
import { createGraphiqlAssets, graphiqlPage } from './graphiql.ts';
import { createGraphqlHandler, createHeadRefusal } from './http.ts';
import { OperationCache } from './operationCache.ts';
import { createPreparation } from './preparation.ts';
import { createUnreadCounting } from './unreadDocuments.ts';
import { serveWebSockets } from './webSockets.ts';

/**
 * The way of an operation through this folder:
 *
 * - Over HTTP (`http`) a document that was run before is found compiled (`operationCache`) where the request is plain
 *   (`plainRequest`); any other goes through Apollo Server (`apollo`), is read within limits (`limits`, `documentSize`,
 *   `unreadDocuments`) and compiled (`executor`, `compiler`). Over event streams (`eventStreams`) and WebSockets
 *   (`webSockets`), `preparation` reads within the same limits; what subscribers are told is put into text by `eventTexts`.
 * - Each result is finished as clients get it (`shownResult`), measured (`answerSize`), written (`answerText`) and sent
 *   (`answers`).
 * - A WebSocket has its connection (`carriedSocket`), its caller (`socketCallers`), bounds of what it brings and leaves
 *   unread (`socketFlow`) and its end (`socketEnd`).
 * - Who waits for whom: long messages of one key for each other (`messageTurns`), messages of one WebSocket for those
 *   before them (`messageOrder`), its operations for the answers to others and those of its key (`operationLine`), queries
 *   of a batch (`operationTurn`) and root fields of a query (`commonTurn`) to be put together.
 */

/** Everything at /graphql: GraphiQL, operations over HTTP, subscriptions over server-sent events and WebSockets. */
export interface GraphqlDoor {
  readonly router: Router;
  /** Operations over HTTP, without the router in front of them. */
  readonly direct: readonly DirectRoute[];
  /** Answers a request for what is wrong with its head. */
  refuseHead(fault: AppError, request: Request, response: Response): Promise<void>;
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
    // What could not be loaded once, for want of a descriptor for one, is for whoever asks next.
    apollo ??= startApollo(schema, cache, gateway).catch((error) => {
      apollo = undefined;
      throw error;
    });
    return apollo;
  };
  const countUnread = createUnreadCounting(schema);
  const prepare = createPreparation(schema, countUnread, settings.GRAPHQL_INTROSPECTION);
  const streams = createEventStreams(prepare, gateway);
  const router = createRouter();
  router.use('/assets', createGraphiqlAssets());
  const operations = createGraphqlHandler(gateway, { cache, countUnread, openApollo });
  const handler: DirectHandler = (request, response) =>
    streams.wants(request) ? streams.handler(request, response) : operations(request, response);
  router.all('/', graphiqlPage, handler);
  return {
    router,
    direct: [{ method: 'POST', path: '/graphql', handler }],
    refuseHead: createHeadRefusal(gateway),
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
    close: async () => (await apollo?.catch(() => undefined))?.stop(),
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
