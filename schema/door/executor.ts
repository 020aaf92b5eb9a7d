import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { getOperationAST } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { CoercionOptions, Variable } from '../coercion.ts';
import { coerceVariables, inputOf } from '../coercion.ts';
import { unknownOperation } from '../errors.ts';
import type { RootTurn } from '../operation.ts';
import { type AskedOperation, bucketOf } from './askedOperation.ts';
import { CommonTurn, takesCommonTurn } from './commonTurn.ts';
import type { Query } from './compiler.ts';
import { queryOf } from './compiler.ts';

/** One operation of a validated document, compiled once and run for every request that asks for it. */
export interface Executable extends AskedOperation {
  readonly variables: readonly Variable[];
  /**
   * Runs it. Variables are checked first.
   * @param turn what its root fields wait for, beside other operations.
   * @throws AppError 400 naming every bad variable, or 403, as `coerceVariables`.
   */
  run(
    context: RequestContext,
    variables: Readonly<Record<string, unknown>>,
    options: CoercionOptions,
    turn?: RootTurn,
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
  const input = inputOf(schema, document, operation);
  const { variables } = input;
  const isCommon = takesCommonTurn(document, operation);
  let query: Query | undefined;
  const coerced = (
    context: RequestContext,
    raw: Readonly<Record<string, unknown>>,
    options: CoercionOptions,
  ) => {
    try {
      return coerceVariables(input, raw, options, context);
    } catch (error) {
      context.count.noteRefused(bucketOf({ schema, document, operation }));
      throw error;
    }
  };
  return {
    schema,
    document,
    operation,
    variables,
    run(context, raw, options, turn) {
      // With its first run: compiling every route's document at the start would delay it.
      query ??= queryOf(schema, document, operationName, variables);
      const root = isCommon ? new CommonTurn(turn) : turn;
      return query(root, context, variables.length === 0 ? {} : coerced(context, raw, options));
    },
  };
}
