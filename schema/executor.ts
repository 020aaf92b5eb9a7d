import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { execute, getOperationAST } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { RequestContext } from '../src/domain/admission.ts';
import type { CoercionOptions, Variable } from './coercion.ts';
import { coerceVariables, variablesOf } from './coercion.ts';
import { unknownOperation } from './errors.ts';

/** One operation of a validated document, compiled once and run for every request that asks for it. */
export interface Executable {
  readonly operation: OperationDefinitionNode;
  readonly variables: readonly Variable[];
  /**
   * Runs it. Variables are checked first.
   * @throws AppError 400 naming every bad variable.
   */
  run(
    context: RequestContext,
    variables: Readonly<Record<string, unknown>>,
    options: CoercionOptions,
  ): ExecutionResult | Promise<ExecutionResult>;
}

/**
 * Compiles one operation of a document, which must have been validated against the schema: the compiler trusts it.
 * @throws GraphQLError when the document has no such operation.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): Executable {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw unknownOperation();
  const variables = variablesOf(schema, operation);
  let query: Query | undefined;
  return {
    operation,
    variables,
    run(context, raw, options) {
      // With its first run: compiling every route's document at the start would delay it.
      query ??= compiledQuery(schema, document, operationName);
      return query(
        undefined,
        context,
        variables.length === 0 ? {} : coerceVariables(variables, raw, options, context.gateway.platform),
      );
    },
  };
}

type Query = (
  root: unknown,
  context: unknown,
  variables: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>;

function compiledQuery(schema: GraphQLSchema, document: DocumentNode, operationName?: string | null): Query {
  const compiled = compileQuery(schema, document, operationName ?? undefined, {
    disableLeafSerialization: false,
  });
  if (isCompiledQuery(compiled)) return compiled.query as Query;
  // What the compiler does not support runs as ever, only slower.
  return (_root, contextValue, variableValues) =>
    execute({ schema, document, operationName, contextValue, variableValues }) as ExecutionResult;
}
