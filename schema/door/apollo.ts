import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Log } from '../../src/infrastructure/observability/log.ts';
import type { Turns } from '../../src/infrastructure/turns.ts';
import { disclosed, renderError, wrap } from '../errors.ts';
import { sizedAnswer } from './answerSize.ts';
import { boundedDocumentStore } from './documentStore.ts';
import type { Executable } from './executor.ts';
import { compileOperation } from './executor.ts';
import { documentLimits, limitRules } from './limits.ts';
import type { OperationCache } from './operationCache.ts';
import { OperationTurn } from './operationTurn.ts';
import { extensionsFor } from './shownResult.ts';

const wrongTransport =
  'Subscriptions are served over WebSockets (graphql-transport-ws) and as text/event-stream';

/** Runs what Apollo has validated as a compiled operation, and keeps that for the next request with the same text. */
function compiledExecution(schema: GraphQLSchema, cache: OperationCache): GatewayInterface {
  const compile = (source: string, document: DocumentNode, operationName: string | null): Executable => {
    const known = cache.get(source, operationName);
    if (known) return known;
    const executable = compileOperation(schema, document, operationName);
    if (executable.operation.operation === 'subscription') throw new GraphQLError(wrongTransport);
    cache.set(source, operationName, executable);
    return executable;
  };
  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: async () => ({
      executor: async ({ source, document, request, context }) => {
        const ofOperation = context as ApolloContext;
        const { request: requestContext, turns } = ofOperation;
        try {
          // The name that the client gave: what Apollo found by it is null when there is no such operation, and null
          // asks for whichever there is.
          const executable = compile(source, document, request.operationName ?? null);
          if (turns && executable.operation.operation === 'query')
            ofOperation.turn = new OperationTurn(turns, requestContext);
          const result = await executable.run(
            requestContext,
            request.variables ?? {},
            { rules: 'graphql' },
            ofOperation.turn,
          );
          if (!result.errors) return result;
          return { ...result, errors: result.errors.map((error) => completed(error, requestContext)) };
        } catch (error) {
          return { errors: [completed(wrap(error), requestContext)] };
        }
      },
    }),
    stop: async () => undefined,
  };
}

/**
 * The compiler's errors are not quite GraphQLErrors, which Apollo insists on. Faults of ours are logged here, where the
 * request is known.
 */
function completed(error: GraphQLError, context: RequestContext): GraphQLError {
  const { log } = context.gateway.platform;
  const { message, path, originalError, locations } = disclosed(error, log, context);
  return Object.assign(new GraphQLError(message, { path, originalError }), { locations });
}

/**
 * What Apollo Server hands through. It works on a copy of its context for each operation, so what becomes of the
 * request (rate window, replay) is kept one level down.
 */
export interface ApolloContext {
  readonly request: RequestContext;
  /** Those that the queries of a batch take; null where a request has one operation. */
  readonly turns: Turns | null;
  /** That of this operation, which ends once its answer is written. */
  turn?: OperationTurn;
}

/** What was written of answers, by the data that is in them. */
const texts = new WeakMap<object, string>();

/** `_meta` of test mode stands in `extensions`, and what is too large is refused. */
const answerPlugin: ApolloServerPlugin<ApolloContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({
        response: { body },
        contextValue: { request, turn },
        schema,
        document,
        operation,
      }) {
        if (body.kind !== 'single') return;
        const { errors, data, extensions } = body.singleResult;
        const shown = {
          ...(errors ? { errors } : {}),
          ...(data === undefined ? {} : { data }),
          ...extensionsFor(request.caller, extensions),
        };
        const asked = document && operation && { schema, document, operation };
        try {
          const { result, text } = await sizedAnswer(shown as ExecutionResult, asked, request);
          body.singleResult = result;
          if (result.data) texts.set(result.data, text);
        } finally {
          await turn?.end();
        }
      },
    };
  },
};

export interface ApolloOptions {
  introspection: boolean;
  log: Log;
}

/**
 * Apollo Server over the compiled schema: parsing, validation with the document limits, CSRF prevention, batching and
 * error formatting. Its cache-control plugin, which wraps every resolver, is off: nothing here may be cached anyway.
 */
export function createApollo(
  schema: GraphQLSchema,
  cache: OperationCache,
  options: ApolloOptions,
): ApolloServer<ApolloContext> {
  return new ApolloServer<ApolloContext>({
    gateway: compiledExecution(schema, cache),
    // Apollo's own refusal tells clients of Apollo's settings.
    introspection: true,
    // "Did you mean" would tell the schema name by name.
    hideSchemaDetailsFromClientErrors: !options.introspection,
    validationRules: limitRules(options.introspection),
    parseOptions: { maxTokens: documentLimits.tokens },
    allowBatchedHttpRequests: true,
    // Every request has it, and no browser sends it to another site before a preflight. GETs of urql bring nothing else.
    csrfPrevention: { requestHeaders: ['authorization'] },
    persistedQueries: false,
    documentStore: boundedDocumentStore(),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    stringifyResult: (result) => `${(result.data && texts.get(result.data)) ?? JSON.stringify(result)}\n`,
    formatError: (_formatted, error) => renderError(error, options.log, null),
    logger: options.log.child({ component: 'apollo' }, { level: 'warn' }) as never,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      answerPlugin,
    ],
  });
}
