import type { GraphQLFieldResolver, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { defaultFieldResolver, isNullableType, OperationTypeNode } from 'graphql';
import { Extensions } from 'type-graphql';
import type { OperationRules, RequestContext, RootOperation } from '../src/domain/admission.ts';
import { runAdmitted } from '../src/domain/admission.ts';
import { toldOfWrite } from '../src/domain/busy.ts';
import type { PreparedCreation } from '../src/domain/idempotency/once.ts';
import { createOnce, idempotencyKeyFaults, ReplayedError } from '../src/domain/idempotency/once.ts';
import { AppError, refusalOf } from '../src/errors.ts';
import { faultsOf } from './argumentChecks.ts';
import { spellingOf, spelt } from './inputFaults.ts';
import type { RootField } from './rootFields.ts';

declare const madeByPrepared: unique symbol;

/**
 * What a creation resolver returns, where the schema has the created thing: what may wait for the network is done, and this
 * does the rest together with the Idempotency-Key.
 */
export type Prepared<T> = T & { readonly [madeByPrepared]: true };

/** Tells TypeScript that a resolver returns a prepared creation where the schema has the created thing. */
export function prepared<T>(creation: PreparedCreation<T>): Prepared<T> {
  return creation as unknown as Prepared<T>;
}

type DeclaredRules = Pick<OperationRules, 'scope'> & Partial<OperationRules>;

/** For creations alone. One that writes at once would have written, and be refused as no creation. */
type CreationDecorator = <Create extends (...given: never[]) => Promise<Prepared<unknown>>>(
  resolver: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Create>,
) => void;

/**
 * Declares what a root operation asks of its caller. Every query, mutation and subscription needs one: the schema does
 * not build without.
 */
export function Operation(
  rules: DeclaredRules & { readonly creation: NonNullable<OperationRules['creation']> },
): CreationDecorator;
export function Operation(rules: DeclaredRules & { readonly creation?: null }): MethodDecorator;
export function Operation(rules: DeclaredRules): MethodDecorator {
  const complete: OperationRules = { bucket: 'default', creation: null, testOnly: false, ...rules };
  return Extensions({ operation: complete }) as MethodDecorator;
}

/** The rules that a root field was declared with. @throws Error when it has none. */
export function rulesOf(
  schema: GraphQLSchema,
  operation: `${OperationTypeNode}`,
  field: string,
): OperationRules {
  const type = schema.getRootType(operation as OperationTypeNode);
  const rules = type?.getFields()[field]?.extensions.operation as OperationRules | undefined;
  if (!rules) throw new Error(`${operation} ${field} does not declare its rules with @Operation`);
  return rules;
}

interface DeclaredField {
  readonly operation: OperationTypeNode;
  readonly field: RootField;
  readonly rules: OperationRules;
}

/** Every root field with the rules that it was declared with. @throws Error at one that has none. */
export function* declaredFieldsOf(schema: GraphQLSchema): Generator<DeclaredField> {
  for (const operation of Object.values(OperationTypeNode)) {
    for (const field of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      yield { operation, field, rules: rulesOf(schema, operation, field.name) };
    }
  }
}

/** What an operation that has others beside it, or several root fields, brings as its root value: when its turn comes. */
export interface RootTurn {
  /**
   * Has a root field find what it is asked for.
   * @returns what it has found, once that may be put together. @throws AppError where it may not.
   */
  inTurn<Found>(find: () => Found | Promise<Found>): Promise<Found>;
}

/** Another server of this schema may have a root value of its own, which is none. */
type Root = Partial<RootTurn> | undefined;

type Resolver = GraphQLFieldResolver<Root, RequestContext, Record<string, unknown>>;

/**
 * Puts the checks of each root operation in front of its resolver, where the work is done: ten searches in one request
 * count ten, whichever door they came through. What the domain refuses comes out as the client's document spells it.
 */
export function guardOperations(schema: GraphQLSchema): void {
  for (const { operation, field, rules } of declaredFieldsOf(schema)) {
    const { name } = field;
    if (operation === OperationTypeNode.SUBSCRIPTION) {
      const subscribe = spellingRefusals(field, spellingInStream(field, field.subscribe as Resolver));
      field.subscribe = guarded({ name, rules, isRead: false }, subscribe) as typeof field.subscribe;
      // What follows from an event is worked out at once: a method of TypeGraphQL's would be waited for.
      field.resolve = (event) => event;
      continue;
    }
    const resolve = (field.resolve ?? defaultFieldResolver) as Resolver;
    const work = rules.creation ? creating(field, rules, resolve) : resolve;
    const isRead = operation === OperationTypeNode.QUERY;
    if (isRead && isNullableType(field.type))
      throw new Error(`query ${name} may be null, where a refusal has to take the whole answer with it`);
    const spelling = spellingRefusals(field, isRead ? work : writing(work));
    field.resolve = guarded({ name, rules, isRead }, spelling) as typeof field.resolve;
  }
}

function guarded(operation: RootOperation, work: Resolver): Resolver {
  return (turn, args, context, info) => {
    if (context.admitted === operation.rules) {
      context.admitted = null;
      return work(turn, args, context, info);
    }
    const begin = () => work(turn, args, context, info);
    if (!turn?.inTurn) return runAdmitted(operation, context, begin);
    return turn.inTurn(() => runAdmitted(operation, context, begin));
  };
}

/** A refusal as the document spells what it names. */
function asSpelt(error: unknown, field: RootField, { fieldNodes: [node] }: GraphQLResolveInfo): unknown {
  return error instanceof AppError && node ? spelt(error, spellingOf(node, field)) : error;
}

function spellingRefusals(field: RootField, work: Resolver): Resolver {
  return async (source, args, context, info) => {
    try {
      return await work(source, args, context, info);
    } catch (error) {
      throw asSpelt(error, field, info);
    }
  };
}

/** What a subscription goes on from is looked for while its stream is open, and refused there. */
function spellingInStream(field: RootField, subscribe: Resolver): Resolver {
  return async (source, args, context, info) => {
    const stream = (await subscribe(source, args, context, info)) as AsyncIterableIterator<unknown>;
    const next = () =>
      stream.next().catch((error) => {
        throw asSpelt(error, field, info);
      });
    return { ...stream, next };
  };
}

/** A write that waited too long for a lock is a refusal, at every door the same. */
function writing(work: Resolver): Resolver {
  return async (source, args, context, info) => {
    try {
      return await work(source, args, context, info);
    } catch (error) {
      throw toldOfWrite(error, context);
    }
  };
}

/** Creations run once for each Idempotency-Key, with the operation's name and arguments as the request. */
function creating(field: RootField, rules: OperationRules, resolve: Resolver): Resolver {
  return async (source, args, context, info) => {
    refuseBadKey(field, args, context);
    try {
      const { value, replayed } = await createOnce(
        context.caller.tenant,
        {
          key: context.idempotencyKey,
          operation: field.name,
          input: args,
          secret: rules.creation === 'secret',
        },
        async () => (await resolve(source, args, context, info)) as PreparedCreation<unknown>,
        context.gateway.platform,
      );
      context.replayed ||= replayed;
      return value;
    } catch (error) {
      context.replayed ||= error instanceof ReplayedError;
      throw error;
    }
  };
}

/** @throws AppError 400 for an Idempotency-Key that can be none, which is named after the bad fields. */
function refuseBadKey(
  field: RootField,
  args: Readonly<Record<string, unknown>>,
  { idempotencyKey, gateway }: RequestContext,
): void {
  const ofKey = idempotencyKeyFaults(idempotencyKey);
  if (ofKey.length === 0) return;
  const ofFields = faultsOf(field, args, gateway.platform);
  throw refusalOf([...ofFields, ...ofKey]);
}
