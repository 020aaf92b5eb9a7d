import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { getOperationAST } from 'graphql';
import type { OperationBucket } from '../../src/domain/requestCount.ts';
import { rulesOf } from '../operation.ts';
import { rootFieldsOf } from '../rootFields.ts';

/** An operation of a valid document. */
export interface AskedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** What graphql is asked to run, where the document has it. */
export function askedIn({ schema, document, operationName }: ExecutionArgs): AskedOperation | undefined {
  const operation = getOperationAST(document, operationName);
  return operation ? { schema, document, operation } : undefined;
}

/** What an operation asks for, and which limits count that; GraphQL's own fields aside. */
const countedFieldsOf = ({ schema, document, operation }: AskedOperation) =>
  rootFieldsOf(document, operation)
    .filter(({ name }) => !name.value.startsWith('__'))
    .map(({ alias, name }) => ({
      shownAs: (alias ?? name).value,
      bucket: rulesOf(schema, operation.operation, name.value).bucket,
    }));

/**
 * Which limit counts an operation that is refused before it runs: that of its first root field; the usual one where there
 * is none.
 */
export const bucketOf = (asked: AskedOperation): OperationBucket =>
  countedFieldsOf(asked)[0]?.bucket ?? 'default';

/** Whether a result holds what another limit than the usual one has counted, as it does a search: not one that was skipped. */
export const hasOwnLimit = (asked: AskedOperation, { data }: ExecutionResult): boolean =>
  countedFieldsOf(asked).some(
    ({ shownAs, bucket }) => bucket !== 'default' && data && Object.hasOwn(data, shownAs),
  );
