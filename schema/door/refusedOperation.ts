import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { OperationBucket } from '../../src/domain/requestCount.ts';
import { rulesOf } from '../operation.ts';
import { rootFieldsOf } from '../rootSelections.ts';

/**
 * Which limit counts an operation of a valid document that is refused before it runs: that of its first root field; the
 * usual one where there is none but GraphQL's own.
 */
export function bucketOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationBucket {
  const names = rootFieldsOf(document, operation).map(({ name }) => name.value);
  const first = names.find((name) => !name.startsWith('__'));
  return first === undefined ? 'default' : rulesOf(schema, operation.operation, first).bucket;
}
