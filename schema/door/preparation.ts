import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import {
  type GraphQLError,
  getOperationAST,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../src/domain/admission.ts';
import { validationError } from '../../src/errors.ts';
import { keptOfObject } from '../../src/infrastructure/keptEntry.ts';
import type { OperationInput } from '../coercion.ts';
import { coerceVariables, inputOf } from '../coercion.ts';
import { parseFailed, unknownOperation, wrap } from '../errors.ts';
import { conditionalRoots } from '../rootFields.ts';
import { bucketOf } from './askedOperation.ts';
import { CommonTurn, takesCommonTurn } from './commonTurn.ts';
import { checkSource, documentLimits, limitRules, readDocument } from './limits.ts';
import type { CountUnread } from './unreadDocuments.ts';
import { writableJson } from './writableJson.ts';

/** What a client asks for over a long-lived connection: checked as over HTTP, then run by graphql's own executor. */
export interface OperationRequest {
  query: string;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What graphql is asked to run, or the errors that answer the request. */
export type Preparation = ExecutionArgs | readonly GraphQLError[];

export function isRefused(preparation: Preparation): preparation is readonly GraphQLError[] {
  return Array.isArray(preparation);
}

/**
 * Characters of the JSON text of a subscription's request, which stays in memory as long as it is open. All that can be
 * asked of events takes less than one thousand.
 */
const subscriptionCharacters = 16_384;

/** Documents that are kept, for the subscribers who all ask the same: characters of their texts in all. */
const keptCharacters = 1_000_000;

/** Parses and checks a request under the same limits as over HTTP. @throws AppError 429 where it is not even read. */
export type Prepare = (request: OperationRequest, context: RequestContext) => Promise<Preparation>;

/** Whether a request asks for a subscription, as far as its document can be read. */
export function asksToSubscribe({ query, operationName }: OperationRequest): boolean {
  const document = readDocument(query);
  return (
    document !== null &&
    getOperationAST(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION
  );
}

export function createPreparation(
  schema: GraphQLSchema,
  countUnread: CountUnread,
  introspection: boolean,
): Prepare {
  const rules = [...specifiedRules, ...limitRules(introspection)];

  const kept = new LRUCache<string, DocumentNode>({
    maxSize: keptCharacters,
    sizeCalculation: (_document, source) => source.length + 1,
  });

  const documentOf = (source: string): DocumentNode | readonly GraphQLError[] => {
    const known = kept.get(source);
    if (known) return known;
    let document: DocumentNode;
    try {
      checkSource(source);
    } catch (error) {
      return [error as GraphQLError];
    }
    try {
      document = parse(source, { maxTokens: documentLimits.tokens });
    } catch (error) {
      return [parseFailed(error as GraphQLError)];
    }
    const conditions = conditionalRoots(document);
    if (conditions.length > 0) return conditions;
    const errors = validate(schema, document, rules, { hideSuggestions: !introspection });
    if (errors.length > 0) return errors;
    kept.set(source, document);
    return document;
  };

  const keptInputs = new WeakMap<OperationDefinitionNode, OperationInput>();

  const preparationOf = (request: OperationRequest, contextValue: RequestContext): Preparation => {
    const document = documentOf(request.query);
    if (!('kind' in document)) return document;
    const operation = getOperationAST(document, request.operationName);
    if (!operation) return [unknownOperation()];
    try {
      if (
        operation.operation === OperationTypeNode.SUBSCRIPTION &&
        (writableJson(request)?.length ?? Number.POSITIVE_INFINITY) > subscriptionCharacters
      )
        throw validationError({ field: 'query', type: 'too_large' });
      const input = keptOfObject(keptInputs, operation, () => inputOf(schema, document, operation));
      const variables = request.variables ?? {};
      const variableValues = coerceVariables(input, variables, { rules: 'graphql' }, contextValue);
      const rootValue = takesCommonTurn(document, operation) ? new CommonTurn() : undefined;
      const { operationName } = request;
      return { schema, document, operationName, rootValue, variableValues, contextValue };
    } catch (error) {
      contextValue.count.noteRefused(bucketOf({ schema, document, operation }));
      return [wrap(error)];
    }
  };

  return async (request, context) => {
    if (!kept.has(request.query)) await countUnread([request.query], context);
    const preparation = preparationOf(request, context);
    return isRefused(preparation) ? refusedAndCounted(preparation, context) : preparation;
  };
}

/** Errors that answer a request of which nothing ran, once it is counted. */
export async function refusedAndCounted(
  errors: readonly GraphQLError[],
  context: RequestContext,
): Promise<readonly GraphQLError[]> {
  return (await excessOf(context)) ?? errors;
}

/** A request that ran no counted operation, such as introspection, counts as one. @returns errors over the limit. */
async function excessOf({ count }: RequestContext): Promise<readonly GraphQLError[] | null> {
  if (count.window !== null) return null;
  try {
    await count.addRefused();
    return null;
  } catch (error) {
    return [wrap(error)];
  }
}

/** A single result, once its request is counted. */
export async function counted(result: ExecutionResult, context: RequestContext): Promise<ExecutionResult> {
  const errors = await excessOf(context);
  return errors ? { errors } : result;
}
