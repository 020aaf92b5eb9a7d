import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { BREAK, execute, isNonNullType, Kind, visit } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Variable } from '../coercion.ts';
import { isCondition } from '../conditions.ts';
import type { RootTurn } from '../operation.ts';

/**
 * Operations as functions: made by a compiler where it keeps to what GraphQL says, else run by graphql's own executor,
 * which is slower.
 */
export type Query = (
  root: RootTurn | undefined,
  context: RequestContext,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

/** The document must have been validated against the schema, and hold the operation. */
export function queryOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: readonly Variable[],
): Query {
  const interpreted: Query = (rootValue, contextValue, variableValues) =>
    execute({ schema, document, operationName, rootValue, contextValue, variableValues }) as ExecutionResult;
  if (!isCompilable(document)) return interpreted;
  const compilation = compileQuery(schema, document, operationName ?? undefined, {
    disableLeafSerialization: false,
  });
  if (!isCompiledQuery(compilation)) return interpreted;
  const compiled = compilation.query as Query;
  const inner = innerVariables(document);
  const optional = variables.filter(({ name, type, hasDefault }) =>
    // The compiler asks for what is never null, whatever its default.
    hasDefault ? isNonNullType(type) : inner.has(name) && !isNonNullType(type),
  );
  if (optional.length === 0) return compiled;
  return (root, context, values) => {
    const query = optional.every(({ name }) => Object.hasOwn(values, name)) ? compiled : interpreted;
    return query(root, context, values);
  };
}

/** Names that GraphQL has for itself. Any other that begins like these might be one that the compiler has for itself. */
const ownNames = new Set(['__typename', '__schema', '__type']);

/**
 * Nothing that a client may choose freely comes into the compiler's hands. It writes the texts of arguments into the
 * source of a program, and takes some of them for marks of its own, behind which it runs the rest as code. Documents with
 * texts differ from request to request, besides, and are not worth a program.
 */
function isCompilable(document: DocumentNode): boolean {
  let compilable = true;
  const refuse = () => {
    compilable = false;
    return BREAK;
  };
  visit(document, {
    // Conditions are kept on the document by the compiler, so those of one place hold at others.
    Directive: (directive) => (isCondition(directive) ? refuse() : undefined),
    StringValue: refuse,
    Name: ({ value }) => (value.startsWith('__') && !ownNames.has(value) ? refuse() : undefined),
  });
  return compilable;
}

/** Variables inside of objects and lists: the compiler makes null of those that a request leaves out. */
function innerVariables(document: DocumentNode): Set<string> {
  const names = new Set<string>();
  visit(document, {
    Variable: ({ name }, _key, parent) => {
      const isInner = Array.isArray(parent) || (parent as { kind?: Kind })?.kind === Kind.OBJECT_FIELD;
      if (isInner) names.add(name.value);
    },
  });
  return names;
}
